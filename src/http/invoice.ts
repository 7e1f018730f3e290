import { z } from 'zod'
import { type ApiError, paymentFailed } from '../core/errors.ts'
import type { Invoice, InvoiceLine } from '../core/invoice.ts'
import { formatAmount } from '../core/money.ts'
import { payInvoice } from '../engine/invoice.ts'
import type { View } from '../engine/view.ts'
import type { Api } from './api.ts'
import { reference } from './fields.ts'
import type { Json } from './json.ts'
import { createdFilters, createdParam, equals, list, listObjects, pageParams } from './pagination.ts'
import { presentPaymentIntent } from './payment-intent.ts'
import { common, retrieve } from './resource.ts'

const listParams = z.object({
  ...pageParams,
  customer: reference.optional(),
  subscription: reference.optional(),
  status: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']).optional(),
  created: createdParam,
})

/** Source: decisions.md 7. */
export function invoiceRoutes(api: Api): void {
  api.read({ method: 'get', path: '/v1/invoices', params: listParams }, (call) => {
    const { customer, subscription, status, created } = call.params
    const filters = [
      ...equals('customer', customer),
      ...equals('subscription', subscription),
      ...equals('status', status),
      ...createdFilters(created),
    ]
    return listObjects(call, 'invoice', filters, (invoice) => presentInvoice(call.view, invoice))
  })
  api.read({ method: 'get', path: '/v1/invoices/:id' }, ({ view, id }) =>
    presentInvoice(view, retrieve(view, 'invoice', id)),
  )
  api.write({ method: 'post', path: '/v1/invoices/:id/pay' }, ({ unit, view, id }) => {
    const collected = payInvoice(unit, id)
    return collected.result === 'failed'
      ? declinedPayment(view, collected.invoice, collected.outcome)
      : presentInvoice(view, collected.invoice)
  })
}

/** The body of a declined payment, which is written all the same. Source: decisions.md 4, "Decline". */
function declinedPayment(
  view: View,
  { payment_intent }: Invoice,
  { code, decline_code, message }: { code: string; decline_code: string | null; message: string },
): ApiError {
  const intent = payment_intent === null ? undefined : view.get('payment_intent', payment_intent)
  return paymentFailed(code, message, {
    decline_code,
    charge: intent?.last_payment_error?.charge ?? null,
    payment_intent: intent ? presentPaymentIntent(view, intent) : null,
  })
}

/** Source: interface.md 2.3; decisions.md 7, 13. */
export function presentInvoice(view: View, invoice: Invoice): Json {
  const { status, total, amount_paid, collection_method } = invoice
  return {
    ...common(view, 'invoice', invoice),
    status,
    number: invoice.number,
    customer: invoice.customer,
    subscription: invoice.subscription,
    currency: invoice.currency,
    amount_due: total,
    amount_paid,
    amount_remaining: total - amount_paid,
    subtotal: total,
    total,
    attempt_count: invoice.attempt_count,
    attempted: invoice.attempted,
    auto_advance:
      status === 'open' &&
      collection_method === 'charge_automatically' &&
      invoice.next_payment_attempt !== null,
    next_payment_attempt: invoice.next_payment_attempt,
    billing_reason: invoice.billing_reason,
    collection_method,
    default_payment_method: invoice.default_payment_method,
    payment_intent: invoice.payment_intent,
    charge: invoice.charge,
    due_date: invoice.due_date,
    period_start: invoice.period_start,
    period_end: invoice.period_end,
    status_transitions: {
      finalized_at: invoice.finalized_at,
      paid_at: invoice.paid_at,
      voided_at: invoice.voided_at,
      marked_uncollectible_at: invoice.marked_uncollectible_at,
    },
    lines: list(
      `/v1/invoices/${invoice.id}/lines`,
      invoice.lines.map((line) => presentLine(view, invoice, line)),
    ),
    metadata: invoice.metadata,
    test_clock: invoice.test_clock,
  }
}

/** paytwin: a line's fields; decisions.md 7 names the list only. */
const presentLine = (view: View, invoice: Invoice, line: InvoiceLine): Json => ({
  ...common(view, 'line_item', { id: line.id, created: invoice.created }),
  invoice: invoice.id,
  amount: line.amount,
  currency: invoice.currency,
  description: `${line.quantity} × ${formatAmount(line.unit_amount, invoice.currency)}`,
  unit_amount: line.unit_amount,
  quantity: line.quantity,
  price: line.price,
  subscription: invoice.subscription,
  subscription_item: line.subscription_item,
  period: { start: invoice.period_start, end: invoice.period_end },
})
