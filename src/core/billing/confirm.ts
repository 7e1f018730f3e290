import type { Change } from '../change.ts'
import { newCharge } from '../charge.ts'
import type { Customer } from '../customer.ts'
import { paymentIntentUnexpectedState, paymentNotInitialized } from '../errors.ts'
import type { Invoice } from '../invoice.ts'
import { awaitingAction, confirmed, intentFactsOf, type PaymentIntent } from '../payment-intent.ts'
import { attemptCharge, type PaymentMethod } from '../payment-method.ts'
import { APPROVED, AUTHENTICATION_FAILED, type ChargeFault, declined, type Outcome } from '../processor.ts'
import type { Rules } from '../rules.ts'
import { cardNamed } from '../test-card.ts'
import { disputeCharge } from './dispute.ts'

/** The result of confirming an intent. */
export type Confirmation =
  | { readonly result: 'succeeded' | 'requires_action'; readonly intent: PaymentIntent }
  | {
      readonly result: 'declined'
      readonly intent: PaymentIntent
      readonly outcome: Outcome & { approved: false }
    }

type Moment = {
  readonly now: number
  readonly newId: (prefix: string) => string
  readonly testClock: string | null
  readonly rules: Rules
}

/** The intent to confirm, its payment method, and the fault to apply. */
type Confirming = {
  readonly before: PaymentIntent
  readonly ready: PaymentIntent
  readonly method: PaymentMethod
  readonly fault: ChargeFault | null
  /** Whether the customer is absent, so that a card is charged without an authentication. */
  readonly isOffSession?: boolean
}

/**
 * Checks that an intent can be confirmed in its status.
 * @throws ApiError payment_intent_unexpected_state when it succeeded, was canceled, or waits for the customer
 * See docs/contract/payments.md#confirming.
 */
export function checkConfirmable(intent: PaymentIntent): void {
  if (!intentFactsOf(intent).isConfirmable) {
    throw paymentIntentUnexpectedState(
      `A payment intent whose status is ${intent.status} cannot be confirmed`,
    )
  }
}

/**
 * Checks that an intent has a payment method.
 * @throws ApiError payment_not_initialized
 * See docs/contract/payments.md#confirming.
 */
export function checkInitialized({ payment_method }: PaymentIntent): void {
  if (payment_method === null) {
    throw paymentNotInitialized(
      'The payment intent has no payment method: give payment_method, or attach one first',
    )
  }
}

/**
 * Reports whether the customer has to act before a payment method can be charged on session.
 * See docs/contract/payments.md#authentication.
 */
export const needsAction = ({ type, script, test_card }: PaymentMethod): boolean =>
  type !== 'card' || (script === null && cardNamed(test_card)?.authentication !== undefined)

/**
 * Confirms an intent that belongs to no invoice: charges it, or makes it wait for the customer.
 * @param ready - the intent with its payment method attached, not yet part of the change
 * @param before - the intent as last recorded or stored
 * @param fault - the fault to apply to a charge attempt; null for none
 * See docs/contract/payments.md#confirming.
 */
export function confirm(
  change: Change,
  moment: Moment,
  { before, ready, method, fault, isOffSession = false }: Confirming,
): Confirmation {
  if (needsAction(method) && !(isOffSession && method.type === 'card'))
    return { result: 'requires_action', intent: waitForCustomer(change, before, ready) }
  const { outcome, paymentMethod } = attemptCharge(method, fault)
  change.noteAttempt()
  const charge = moment.newId('ch')
  const intent = recordChargeAttempt(change, { ...moment, before, ready, outcome, charge })
  disputeCharge(change, moment, charge, method)
  if (paymentMethod) advanceScript(change, method, paymentMethod)
  if (outcome.approved) saveForFuture(change, intent, method, false)
  return outcome.approved ? { result: 'succeeded', intent } : { result: 'declined', intent, outcome }
}

/** Makes an intent wait for the customer. */
export const waitForCustomer = (change: Change, before: PaymentIntent, ready: PaymentIntent): PaymentIntent =>
  change.update('payment_intent', before, () => awaitingAction(ready), 'payment_intent.requires_action')

/** Reports that the payment of an invoice needs an action of the customer. */
export const announceAction = (change: Change, invoice: Invoice): Invoice =>
  change.update('invoice', invoice, (same) => same, 'invoice.payment_action_required')

/**
 * Settles an intent that waits for the customer and belongs to no invoice.
 * @throws ApiError payment_intent_unexpected_state when it does not wait
 * See docs/contract/payments.md#settling.
 */
export function settle(
  change: Change,
  { now, newId, rules }: Pick<Moment, 'now' | 'newId' | 'rules'>,
  intent: PaymentIntent,
  {
    outcome,
    method,
    customer,
  }: { readonly outcome: Outcome; readonly method: PaymentMethod; readonly customer: Customer | null },
): PaymentIntent {
  checkWaiting(intent)
  const charge = isUncharged(outcome) ? null : newId('ch')
  const after = recordChargeAttempt(change, { before: intent, ready: intent, outcome, charge, now, rules })
  if (outcome.approved && isSavable(method, customer)) saveForFuture(change, after, method, true)
  return after
}

/** Reports whether an attempt ended before a charge was made. */
export const isUncharged = (outcome: Outcome): boolean => !outcome.approved && outcome.isUncharged === true

/** Attaches the payment method of a paid intent to its customer, if the intent says so. */
function saveForFuture(
  change: Change,
  { customer, options }: PaymentIntent,
  method: PaymentMethod,
  isAuthenticated: boolean,
): void {
  if (options?.setup_future_usage) saveMethod(change, method, { customer, isSetUp: isAuthenticated })
}

/**
 * Reports whether a payment method can be saved for a customer: it belongs to no other one, and the customer was not deleted. Both
 * may have changed while an intent waited. Without a customer it is attached to none, so nothing can prevent it.
 */
export const isSavable = (method: PaymentMethod, customer: Customer | null): boolean =>
  customer === null || (method.customer === null ? !customer.deleted : method.customer === customer.id)

/** Attaches a payment method to a customer unless it is attached, and records that the customer has authenticated it. */
export function saveMethod(
  change: Change,
  method: PaymentMethod,
  { customer, isSetUp }: { readonly customer: string | null; readonly isSetUp: boolean },
): void {
  const latest = change.latest('payment_method', method)
  const after = {
    ...latest,
    is_set_up: latest.is_set_up || isSetUp,
    customer: latest.customer ?? customer,
  }
  const attaches = after.customer !== latest.customer
  if (!attaches && after.is_set_up === latest.is_set_up) return
  change.update('payment_method', method, () => after, attaches ? 'payment_method.attached' : null)
}

/**
 * Checks that an intent waits for the customer.
 * @throws ApiError payment_intent_unexpected_state
 */
export function checkWaiting(intent: PaymentIntent): void {
  if (intentFactsOf(intent).awaitsCustomer) return
  throw paymentIntentUnexpectedState(
    `Only a payment intent that requires action can be settled, but its status is ${intent.status}`,
  )
}

/**
 * Returns the outcome of settling. paytwin: failing means a card was not authenticated, or a push payment did not
 * arrive.
 */
export function settlement(
  outcome: 'succeed' | 'fail',
  method: PaymentMethod,
  { chargesFailedAuthentication }: Rules,
): Outcome {
  if (outcome === 'succeed') return cardNamed(method.test_card)?.authenticated ?? APPROVED
  if (method.type !== 'card') return declined('processing_error', null)
  return chargesFailedAuthentication
    ? declined('card_declined', 'authentication_required')
    : AUTHENTICATION_FAILED
}

/**
 * Records a charge attempt: the intent after it, then its charge.
 * @param before - the intent as last recorded or stored; null when the change creates it
 * @param ready - the intent at the time of the attempt
 * @param charge - the id of the charge; null when there was nothing to charge
 * See docs/contract/events-and-webhooks.md#order-of-events.
 */
export function recordChargeAttempt(
  change: Change,
  given: {
    before: PaymentIntent | null
    ready: PaymentIntent
    outcome: Outcome
    charge: string | null
    now: number
    rules: Pick<Rules, 'copiesIntentMetadata'>
  },
): PaymentIntent {
  const { before, ready, outcome, charge, now, rules } = given
  const event = outcome.approved ? 'payment_intent.succeeded' : 'payment_intent.payment_failed'
  const after = confirmed(ready, outcome, charge)
  if (before) change.update('payment_intent', before, () => after, event)
  else change.create('payment_intent', after, event)
  if (charge !== null) {
    const made = newCharge(ready, outcome, {
      id: charge,
      created: now,
      payment_method: ready.payment_method,
      metadata: rules.copiesIntentMetadata ? ready.metadata : {},
    })
    change.create('charge', made, outcome.approved ? 'charge.succeeded' : 'charge.failed')
  }
  return after
}

/** Stores the position in the card's script after an attempt, without an event. */
export function advanceScript(change: Change, before: PaymentMethod, after: PaymentMethod): void {
  change.update('payment_method', before, () => after)
}
