import { resourceMissing } from '../../../core/errors.ts'
import type { Invoice } from '../../../core/invoice.ts'
import { isDraft } from '../../../core/invoice-status.ts'
import { formatAmount } from '../../../core/money.ts'
import { intentFactsOf } from '../../../core/payment-intent.ts'
import type { CurrentView } from '../../../engine/history/view.ts'
import type { MerchantState } from '../../../engine/machine/merchant-state.ts'
import { confirmPaymentIntent } from '../../../engine/resources/payment-intent.ts'
import {
  authenticationPath,
  checkPageKey,
  invoicePath,
  invoiceUrl,
  receiptUrl,
} from '../present/hosted-pages.ts'
import { amountText } from './amount.ts'
import {
  type CardEntry,
  type CardFormState,
  declinedCardForm,
  emptyCardForm,
  filledCardForm,
  keptCardForm,
  readCardForm,
} from './card-entry.ts'
import { formToken, hasToken } from './form-token.tsx'
import { type PageOf, redirectTo } from './frame.tsx'
import { documentOf, isPayable } from './invoice-document.ts'
import { invoicePage } from './invoice-page.tsx'
import { currentObjects, type HostedRequest, pageOf, runCommand, viewOf } from './serve.ts'

type Found = {
  readonly merchant: MerchantState
  readonly view: CurrentView
  readonly of: PageOf
  readonly invoice: Invoice
}

/**
 * Serves the page of an invoice, and its form, which pays the invoice once.
 * See docs/contract/hosted-invoices.md#page.
 */
export async function serveInvoice(request: HostedRequest): Promise<Response> {
  const found = await findInvoice(request)
  const { view, of, invoice } = found
  const { form, query } = request
  if (form === null)
    return show(found, { problem: failureOf(found, query), isPaidNow: query.has('redirect_status') })
  // The form was submitted twice, or the invoice was paid elsewhere.
  if (!isPayable(invoice)) return redirectTo(invoicePath(view, invoice.id))
  const filled = filledCardForm(form, of)
  if (filled) return show(found, { card: filled })
  const { entry, errors } = readCardForm(form, of)
  if (!entry) return show(found, { card: keptCardForm(form, errors) })
  return pay(request, found, { entry, form })
}

/** Serves the PDF of an invoice. */
export async function serveInvoicePdf(request: HostedRequest): Promise<Response> {
  const { view, invoice } = await findInvoice(request)
  const { invoicePdf } = await import('./invoice-pdf.ts')
  return new Response(new Uint8Array(invoicePdf(documentOf(view, invoice, formatAmount))), {
    headers: {
      'Content-Type': 'application/pdf',
      'Content-Disposition': `attachment; filename="Invoice-${invoice.number}.pdf"`,
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
  })
}

/** Finds the finalized invoice of an address. @throws ApiError resource_missing also for a wrong key and for a draft */
async function findInvoice(request: HostedRequest): Promise<Found> {
  const { param } = request
  const merchant = request.merchant()
  const view = await currentObjects(request, merchant)
  const id = param('id')
  checkPageKey(view, { page: 'invoice', id, key: param('key') })
  const invoice = view.get('invoice', id)
  if (!invoice || isDraft(invoice)) throw resourceMissing('invoice', id)
  return { merchant, view, of: pageOf(merchant, invoice.test_clock), invoice }
}

const CHANGED = 'The amount has changed, and nothing was charged. Check it, and enter your card again.'

/** Returns the token of the form, which changes with the amount that it charges. A credit note can reduce it. */
const tokenOf = (view: CurrentView, { id, currency, amount_due, amount_paid }: Invoice): string =>
  formToken(view, ['pay', id, currency, amount_due - amount_paid])

/** Pays an invoice with its intent. A declined card is shown on the page, and an authentication has a page of its own. */
async function pay(
  request: HostedRequest,
  { merchant, of, invoice: { id }, ...found }: Found,
  { entry: { card, billing_details }, form }: { entry: CardEntry; form: URLSearchParams },
): Promise<Response> {
  const return_url = invoiceUrl(found.view, id)
  const done = await runCommand(request, merchant, (unit) => {
    // Another command may have paid the invoice since it was read.
    const latest = unit.need('invoice', id)
    const { payment_intent } = latest
    if (!isPayable(latest) || payment_intent === null) return null
    if (!hasToken(form, tokenOf(found.view, latest))) return 'changed'
    const payment_method_data = { card, billing_details }
    return confirmPaymentIntent(unit, payment_intent, { payment_method_data, options: { return_url } })
  })
  const view = viewOf(request.services, merchant)
  const showAgain = (problem: string, card: CardFormState) => {
    const invoice = view.get('invoice', id)
    if (!invoice) throw resourceMissing('invoice', id)
    return show({ merchant, view, of, invoice }, { problem, card })
  }
  if (done === 'changed') return showAgain(CHANGED, keptCardForm(form))
  if (done?.declined) return showAgain(done.declined.message, declinedCardForm(form))
  if (done && intentFactsOf(done.intent).awaitsCustomer)
    return redirectTo(authenticationPath(view, done.intent.id))
  return redirectTo(`${invoicePath(view, id)}?redirect_status=succeeded`)
}

/** Returns why the authentication failed from which the browser returned; null if it did not fail. */
function failureOf({ view, invoice }: Found, query: URLSearchParams): string | null {
  if (query.get('redirect_status') !== 'failed' || invoice.payment_intent === null) return null
  return view.get('payment_intent', invoice.payment_intent)?.last_payment_error?.message ?? null
}

function show(
  { view, of, invoice }: Found,
  {
    card,
    problem = null,
    isPaidNow = false,
  }: { card?: CardFormState; problem?: string | null; isPaidNow?: boolean },
): Response {
  const customer = view.get('customer', invoice.customer)
  return invoicePage({
    of,
    document: documentOf(view, invoice, amountText),
    token: tokenOf(view, invoice),
    card: isPayable(invoice) ? (card ?? emptyCardForm({ name: customer?.name ?? null })) : null,
    problem: isPayable(invoice) ? problem : null,
    isPaidNow: isPaidNow && invoice.paid_at !== null,
    receipt: receiptOf(view, invoice),
  })
}

/** Returns the address of the receipt; null unless a payment succeeded. */
function receiptOf(view: CurrentView, { charge: id }: Invoice): string | null {
  const charge = id === null ? undefined : view.get('charge', id)
  return charge?.status === 'succeeded' ? receiptUrl(view, charge.id) : null
}
