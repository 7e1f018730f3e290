import type Stripe from 'stripe'
import { type Invoice, isPaidOutOfBand } from '../../../core/invoice.ts'
import { prefixOf } from '../../../core/kinds.ts'
import type { Wire } from '../wire.ts'

const PREFIX = 'inpay_'
const INTENT_PREFIX = `${prefixOf('payment_intent')}_`

/** Returns the id of the intent that makes the payment with an id. */
export const intentOfPayment = (id: string): string =>
  id.startsWith(PREFIX) ? `${INTENT_PREFIX}${id.slice(PREFIX.length)}` : ''

/** Presents the payments of an invoice: that of its intent. An invoice without an intent has none. */
export function presentPayments(invoice: Invoice): Wire<Stripe.InvoicePayment>[] {
  const { payment_intent, status, paid_at, voided_at } = invoice
  if (payment_intent === null) return []
  const isOutOfBand = isPaidOutOfBand(invoice)
  const isPaid = status === 'paid' && !isOutOfBand
  return [
    {
      id: `${PREFIX}${payment_intent.slice(INTENT_PREFIX.length)}`,
      object: 'invoice_payment',
      amount_paid: isPaid ? invoice.amount_paid : null,
      amount_requested: invoice.amount_due,
      created: invoice.finalized_at ?? invoice.created,
      currency: invoice.currency,
      invoice: invoice.id,
      is_default: true,
      livemode: false,
      payment: { payment_intent, type: 'payment_intent' },
      status: isPaid ? 'paid' : isOutOfBand || status === 'void' ? 'canceled' : 'open',
      status_transitions: {
        canceled_at: isOutOfBand ? paid_at : voided_at,
        paid_at: isOutOfBand ? null : paid_at,
      },
    },
  ]
}
