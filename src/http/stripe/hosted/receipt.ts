import type { Charge } from '../../../core/charge.ts'
import { resourceMissing } from '../../../core/errors.ts'
import type { View } from '../../../engine/history/view.ts'
import { checkPageKey, invoiceUrl } from '../present/hosted-pages.ts'
import { amountText } from './amount.ts'
import { dateText } from './date-text.ts'
import type { Row } from './invoice-document.ts'
import { methodName } from './method-name.ts'
import { receiptPage } from './receipt-page.tsx'
import { currentObjects, type HostedRequest, pageOf } from './serve.ts'

/** Serves the receipt of a payment. See docs/contract/hosted-invoices.md#receipts. */
export async function serveReceipt(request: HostedRequest): Promise<Response> {
  const { param } = request
  const merchant = request.merchant()
  const view = await currentObjects(request, merchant)
  const id = param('id')
  checkPageKey(view, { page: 'receipt', id, key: param('key') })
  const charge = view.get('charge', id)
  if (charge?.status !== 'succeeded') throw resourceMissing('receipt', id)
  const customer = charge.customer === null ? undefined : view.get('customer', charge.customer)
  return receiptPage({
    of: pageOf(merchant, customer?.test_clock ?? null),
    headline: `${amountText(charge.amount, charge.currency)} paid on ${dateText(charge.created)}`,
    facts: factsOf(view, charge),
    invoice: charge.invoice === null ? null : invoiceUrl(view, charge.invoice),
  })
}

function factsOf(view: View, charge: Charge): Row[] {
  const { amount, amount_refunded, currency, payment_method, created } = charge
  const method = payment_method === null ? undefined : view.get('payment_method', payment_method)
  const intent = view.get('payment_intent', charge.payment_intent)
  const invoice = charge.invoice === null ? undefined : view.get('invoice', charge.invoice)
  const facts: readonly (readonly [string, string | null])[] = [
    ['Payment', charge.id],
    ['Paid to', view.merchant.name],
    ['Amount paid', amountText(amount, currency)],
    ['Refunded', amount_refunded === 0 ? null : amountText(amount_refunded, currency)],
    ['Date paid', dateText(created)],
    ['Paid with', method ? methodName(method) : null],
    ['Description', intent?.description ?? null],
    ['Invoice', invoice?.number ?? null],
  ]
  return facts.flatMap(([name, value]): Row[] => (value === null ? [] : [[name, value]]))
}
