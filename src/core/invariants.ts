import type { Charge } from './charge.ts'
import type { CreditNote } from './credit-note.ts'
import { assert } from './errors.ts'
import type { BillingReason, Invoice } from './invoice.ts'
import { netAmount } from './invoice-line.ts'
import { isDraft } from './invoice-status.ts'
import type { Kind, Objects } from './kinds.ts'
import type { PaymentIntent } from './payment-intent.ts'
import type { Subscription } from './subscription.ts'
import { factsOf } from './subscription-status.ts'

const INVARIANTS: { readonly [K in Kind]?: (object: Objects[K]) => void } = {
  subscription: checkSubscription,
  invoice: checkInvoice,
  payment_intent: checkIntent,
  charge: checkCharge,
  credit_note: checkCreditNote,
}

/**
 * Asserts the invariants of a kind. Called before an object is written, so that a defect rolls back the transaction instead of
 * storing a wrong state.
 */
export function checkInvariants<K extends Kind>(kind: K, object: Objects[K]): void {
  const check = INVARIANTS[kind] as ((object: Objects[K]) => void) | undefined
  check?.(object)
}

function checkSubscription(subscription: Subscription): void {
  const { id, items, current_period_start: start, current_period_end: end } = subscription
  assert(items.length > 0, `${id} has items`)
  // A trial can end in the second in which it began; then no period follows if the subscription is canceled or paused.
  const { hasEnded, isPaused } = factsOf(subscription)
  const hasPeriod = !hasEnded && !isPaused
  assert(hasPeriod ? start < end : start <= end, `the period of ${id} starts before it ends`)
}

/** Other invoices may bill items at one instant. */
const BEGINS_PERIOD: readonly BillingReason[] = ['subscription_create', 'subscription_cycle']

function checkInvoice(invoice: Invoice): void {
  const { id, lines, total, amount_due, amount_paid, billing_reason, period_start, period_end } = invoice
  let sum = 0
  for (const line of lines) {
    const net = netAmount(line)
    assert(net >= 0 || net === line.amount, `discounts do not take more than the amount of ${line.id}`)
    sum += net
  }
  assert(total === sum, `the total of ${id} is the sum of its lines less their discounts`)
  assert(amount_due >= 0, `the amount due of ${id} is not negative`)
  assert(amount_paid >= 0 && amount_paid <= amount_due, `at most the amount due of ${id} is paid`)
  assert(invoice.status !== 'paid' || amount_paid === amount_due, `the paid invoice ${id} is paid in full`)
  const { pre_payment_credit_notes_amount: pre, post_payment_credit_notes_amount: post } = invoice
  assert(pre >= 0 && post >= 0, `the credits of ${id} are not negative`)
  assert(pre + post <= Math.max(0, total), `at most the total of ${id} is credited`)
  assert(isDraft(invoice) || invoice.number !== null, `the finalized invoice ${id} has a number`)
  assert(
    BEGINS_PERIOD.includes(billing_reason) ? period_start < period_end : period_start <= period_end,
    `the period of ${id} starts before it ends`,
  )
}

function checkIntent({ id, amount, amount_received }: PaymentIntent): void {
  assert(amount > 0, `the amount of ${id} is positive`)
  assert(amount_received >= 0 && amount_received <= amount, `at most the amount of ${id} is received`)
}

function checkCharge({ id, status, amount, amount_refunded, dispute }: Charge): void {
  assert(amount_refunded >= 0 && amount_refunded <= amount, `at most the amount of ${id} is refunded`)
  assert(status === 'succeeded' || amount_refunded === 0, `the failed charge ${id} has no refunds`)
  assert(status === 'succeeded' || dispute === null, `the failed charge ${id} is not disputed`)
}

function checkCreditNote(note: CreditNote): void {
  const { id, lines, amount, pre_payment_amount: pre, post_payment_amount: post } = note
  let sum = 0
  for (const line of lines) sum += line.amount
  assert(amount > 0 && amount === sum, `the amount of ${id} is the sum of its lines`)
  assert(pre >= 0 && post >= 0 && pre + post === amount, `the amount of ${id} is taken off or given back`)
  const parts = note.refund_amount + note.credit_amount + note.out_of_band_amount
  assert(parts === post, `the parts of ${id} add up to what is given back`)
}
