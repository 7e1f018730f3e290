import { amountOf, dueOf, subtotalOf, totalOf } from './model-amounts.ts'
import { showBalance } from './model-balance.ts'
import { DAY } from './model-calendar.ts'
import { type Off, totalOffs } from './model-discount.ts'
import type { Dispute } from './model-dispute.ts'
import type { Charge, CreditNote, Intent, Refund } from './model-money.ts'
import { showPending } from './model-pending.ts'
import type { Invoice, InvoiceItem, Line, Subscription } from './model-state.ts'

/** Fields of an object as the API shows them; `{sub3}` stands for the id of the model's sub3. */
export type Shown = Readonly<Record<string, unknown>>

export const ref = (key: string | null): string | null => (key === null ? null : `{${key}}`)

export const showSubscription = (subscription: Subscription): Shown => ({
  status: subscription.status,
  customer: ref(subscription.customer),
  start_date: subscription.created,
  collection_method: subscription.collection,
  days_until_due: subscription.daysUntilDue,
  default_payment_method: ref(subscription.method),
  latest_invoice: ref(subscription.latest),
  billing_cycle_anchor: subscription.anchor,
  current_period_start: subscription.start,
  current_period_end: subscription.end,
  trial_start: subscription.trialStart,
  trial_end: subscription.trialEnd,
  cancel_at: subscription.cancelAt,
  cancel_at_period_end: subscription.cancelAtPeriodEnd,
  canceled_at: subscription.canceledAt,
  ended_at: subscription.endedAt,
  cancellation_details: { reason: subscription.reason },
  pause_collection: subscription.pause,
  pending_update: showPending(subscription.pending),
  description: subscription.description,
  schedule: ref(subscription.schedule),
  discounts: subscription.discounts.map(ref),
  items: subscription.items.map(({ key, price, quantity, isMetered }) => [
    ...[`{${price}}`, isMetered ? null : quantity],
    (subscription.itemDiscounts[key] ?? []).map(ref),
  ]),
})

/** An invoice shows all of its lines, which are at most so many. */
export const LINES_SHOWN = 1000

/** The amount of a line, the time of an item that it bills, and what is taken off. */
const showLine = ({ amount, bills, from, off }: Line): unknown[] => [
  ...(bills ? [amount, bills.start, bills.end, from !== null && !bills.isUsage] : [amount]),
  off.map(showOff),
]

const showOff = ({ discount, amount }: Off) => [ref(discount), amount]

export const showItem = ({
  amount,
  subscription,
  invoice,
  bills,
  discounts,
  isDiscountable,
}: InvoiceItem): Shown => ({
  amount,
  subscription: ref(subscription),
  invoice: ref(invoice),
  proration: bills !== null && !bills.isUsage,
  discounts: discounts.map(ref),
  discountable: isDiscountable,
  ...(bills && { period: { start: bills.start, end: bills.end } }),
})

export const showInvoice = (invoice: Invoice): Shown => ({
  status: invoice.status,
  number: invoice.number,
  customer: ref(invoice.customer),
  subscription: ref(invoice.subscription),
  total: totalOf(invoice),
  subtotal: subtotalOf(invoice.lines),
  discounts: invoice.discounts.map(ref),
  total_discount_amounts: totalOffs(invoice.lines).map(showOff),
  amount_due: dueOf(invoice),
  amount_paid: invoice.status === 'paid' ? dueOf(invoice) : 0,
  amount_remaining: invoice.status === 'paid' ? 0 : dueOf(invoice),
  ...showBalance(invoice),
  pre_payment_credit_notes_amount: invoice.credited.pre,
  post_payment_credit_notes_amount: invoice.credited.post,
  lines: invoice.lines.slice(0, LINES_SHOWN).map(showLine),
  attempt_count: invoice.attempts,
  attempted: invoice.attempted,
  next_payment_attempt: invoice.next,
  billing_reason: invoice.reason,
  collection_method: invoice.collection,
  due_date: invoice.dueDate,
  payment_intent: ref(invoice.intent),
  charge: ref(invoice.charge),
  // A manual invoice has no period.
  ...(invoice.subscription !== null && { period_start: invoice.start, period_end: invoice.end }),
  status_transitions: {
    finalized_at: invoice.finalizedAt,
    paid_at: invoice.paidAt,
    voided_at: invoice.voidedAt,
    marked_uncollectible_at: invoice.uncollectibleAt,
  },
})

export const showIntent = (intent: Intent): Shown => ({
  status: intent.status,
  amount: intent.amount,
  customer: ref(intent.customer),
  invoice: ref(intent.invoice),
  amount_received: intent.status === 'succeeded' ? intent.amount : 0,
})

export const showCharge = (charge: Charge): Shown => ({
  status: charge.succeeded ? 'succeeded' : 'failed',
  paid: charge.succeeded,
  amount: charge.amount,
  amount_refunded: charge.refunded,
  refunded: charge.succeeded && charge.refunded === charge.amount,
  payment_intent: ref(charge.intent),
  customer: ref(charge.customer),
})

export const showRefund = (refund: Refund): Shown => ({
  status: refund.status,
  amount: refund.amount,
  charge: ref(refund.charge),
})

/** The id of a balance transaction is not known, only whether there is one. */
export const showNote = (note: CreditNote): Shown => {
  const amount = amountOf(note)
  const post = amount - note.pre
  return {
    status: note.status,
    number: note.number,
    invoice: ref(note.invoice),
    customer: ref(note.customer),
    amount,
    subtotal: amount,
    total: amount,
    pre_payment_amount: note.pre,
    post_payment_amount: post,
    type: post === 0 ? 'pre_payment' : note.pre === 0 ? 'post_payment' : 'mixed',
    refund: ref(note.refund),
    ...(note.toBalance === 0 && { customer_balance_transaction: null }),
    out_of_band_amount: note.outOfBand === 0 ? null : note.outOfBand,
    lines: note.lines.map(({ amount }) => amount),
    voided_at: note.voidedAt,
  }
}

export const showDispute = ({ status, charge, created, submissions }: Dispute): Shown => ({
  ...{ status, charge: ref(charge), is_charge_refundable: status === 'won' },
  evidence_details: {
    due_by: created + 7 * DAY,
    past_due: false,
    submission_count: submissions,
  },
})
