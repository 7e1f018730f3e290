import type { Change } from '../change.ts'
import { newCharge } from '../charge.ts'
import { paymentIntentUnexpectedState, paymentNotInitialized } from '../errors.ts'
import { awaitingAction, confirmed, type PaymentIntent } from '../payment-intent.ts'
import { attemptCharge, type PaymentMethod, TEST_CARDS } from '../payment-method.ts'
import { APPROVED, type ChargeFault, declined, type Outcome } from '../processor.ts'

/** What became of a confirmation. */
export type Confirmation =
  | { readonly result: 'succeeded' | 'requires_action'; readonly intent: PaymentIntent }
  | {
      readonly result: 'declined'
      readonly intent: PaymentIntent
      readonly outcome: Outcome & { approved: false }
    }

type Moment = { readonly now: number; readonly newId: (prefix: string) => string }

/** What is confirmed, with what, and what strikes the attempt. */
type Confirming = {
  readonly before: PaymentIntent
  readonly ready: PaymentIntent
  readonly method: PaymentMethod
  readonly fault: ChargeFault | null
}

/**
 * Whether an intent can be confirmed now, whatever would pay it.
 * @throws ApiError payment_intent_unexpected_state when it succeeded, was canceled, or waits for the customer
 * See docs/contract/payments.md#confirming.
 */
export function checkConfirmable({ status }: PaymentIntent): void {
  if (status === 'succeeded' || status === 'canceled' || status === 'requires_action') {
    throw paymentIntentUnexpectedState(`A payment intent whose status is ${status} cannot be confirmed`)
  }
}

/** @throws ApiError payment_not_initialized when the intent has no payment method. See docs/contract/payments.md#confirming. */
export function checkInitialized({ payment_method }: PaymentIntent): void {
  if (payment_method === null) {
    throw paymentNotInitialized(
      'The payment intent has no payment method: give payment_method, or attach one first',
    )
  }
}

/**
 * Whether the customer has to act before a payment method can be charged on session.
 * See docs/contract/payments.md#authentication.
 */
export const needsAction = ({ type, script, test_card }: PaymentMethod): boolean =>
  type !== 'card' || (script === null && TEST_CARDS[test_card ?? '']?.needsAuthentication === true)

/**
 * Confirms an intent that belongs to no invoice: it is charged, or waits for the customer.
 * @param ready - the intent with its payment method attached, not told yet
 * @param before - the intent as it was told or stored last
 * @param fault - what strikes the attempt, if one is made; null for nothing
 * See docs/contract/payments.md#confirming.
 */
export function confirm(
  change: Change,
  { now, newId }: Moment,
  { before, ready, method, fault }: Confirming,
): Confirmation {
  if (needsAction(method))
    return { result: 'requires_action', intent: waitForCustomer(change, before, ready) }
  const { outcome, paymentMethod } = attemptCharge(method, fault)
  change.noteAttempt()
  const intent = tellAttempt(change, { before, ready, outcome, charge: newId('ch'), now })
  if (paymentMethod) rememberAttempt(change, method, paymentMethod)
  return outcome.approved ? { result: 'succeeded', intent } : { result: 'declined', intent, outcome }
}

/** Tells that an intent now waits for the customer. */
export const waitForCustomer = (change: Change, before: PaymentIntent, ready: PaymentIntent): PaymentIntent =>
  change.update('payment_intent', before, () => awaitingAction(ready), 'payment_intent.requires_action')

/**
 * Ends the wait for the customer of an intent that belongs to no invoice.
 * @throws ApiError payment_intent_unexpected_state when it does not wait
 * See docs/contract/payments.md#settling.
 */
export function settle(
  change: Change,
  { now, newId }: Moment,
  intent: PaymentIntent,
  outcome: Outcome,
): PaymentIntent {
  checkWaiting(intent)
  return tellAttempt(change, { before: intent, ready: intent, outcome, charge: newId('ch'), now })
}

/** @throws ApiError payment_intent_unexpected_state when the intent does not wait for the customer */
export function checkWaiting({ status }: PaymentIntent): void {
  if (status === 'requires_action') return
  throw paymentIntentUnexpectedState(
    `Only a payment intent that requires action can be settled; this one's status is ${status}`,
  )
}

/** What settling makes of a wait. paytwin: a card was not authenticated, a push payment did not arrive. */
export function settlement(outcome: 'succeed' | 'fail', method: PaymentMethod): Outcome {
  if (outcome === 'succeed') return APPROVED
  return method.type === 'card'
    ? declined('card_declined', 'authentication_required')
    : declined('processing_error', null)
}

/**
 * Tells what an attempt leaves behind: the intent, then its charge.
 * @param before - the intent as told or stored last; null when the change makes it
 * @param ready - the intent as it was when it was attempted
 * @param charge - the id of the charge; null when there was nothing to charge
 * See docs/contract/events-and-webhooks.md#order-of-events.
 */
export function tellAttempt(
  change: Change,
  given: {
    before: PaymentIntent | null
    ready: PaymentIntent
    outcome: Outcome
    charge: string | null
    now: number
  },
): PaymentIntent {
  const { before, ready, outcome, charge, now } = given
  const event = outcome.approved ? 'payment_intent.succeeded' : 'payment_intent.payment_failed'
  const after = confirmed(ready, outcome, charge)
  if (before) change.update('payment_intent', before, () => after, event)
  else change.create('payment_intent', after, event)
  if (charge !== null) {
    const made = newCharge(ready, outcome, { id: charge, created: now, payment_method: ready.payment_method })
    change.create('charge', made, outcome.approved ? 'charge.succeeded' : 'charge.failed')
  }
  return after
}

/** What the processor remembers of an attempt (a script that moved on); no event tells of it. */
export function rememberAttempt(change: Change, before: PaymentMethod, after: PaymentMethod): void {
  change.update('payment_method', before, () => after)
}
