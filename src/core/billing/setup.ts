import type { Change } from '../change.ts'
import { declineAtAttach, type PaymentMethod } from '../payment-method.ts'
import { APPROVED, declined, type Outcome } from '../processor.ts'
import { awaitingAuthentication, type SetupIntent, setUp } from '../setup-intent.ts'
import type { Subscription } from '../subscription.ts'
import { needsAction, saveMethod } from './confirm.ts'

/** The objects of a confirmation. */
type Setup = {
  /** The intent as last recorded or stored. */
  readonly before: SetupIntent
  /** The intent with its payment method attached, not yet part of the change. */
  readonly ready: SetupIntent
  readonly method: PaymentMethod
  /** The subscription that the intent prepares. */
  readonly subscription: Subscription | null
}

/** The result of confirming a setup intent. */
export type SetupResult = {
  readonly intent: SetupIntent
  /** null unless the card was declined. */
  readonly declined: (Outcome & { approved: false }) | null
}

/**
 * Confirms a setup intent: saves the payment method, or makes the intent wait for the customer to authenticate.
 * See docs/contract/setup-intents.md#confirming.
 */
export function confirmSetup(change: Change, setup: Setup): SetupResult {
  const { before, ready, method } = setup
  if (needsAction(method)) {
    const event = 'setup_intent.requires_action'
    return {
      intent: change.update('setup_intent', before, () => awaitingAuthentication(ready), event),
      declined: null,
    }
  }
  return finishSetup(change, setup, declineAtAttach(method) ?? APPROVED)
}

/**
 * Records the outcome of a confirmation. A payment method that is set up is attached to the customer, and becomes the payment
 * method of the subscription that waits for it.
 */
export function finishSetup(
  change: Change,
  { before, ready, method, subscription }: Setup,
  outcome: Outcome,
): SetupResult {
  if (!outcome.approved) {
    const intent = change.update(
      'setup_intent',
      before,
      () => setUp(ready, outcome),
      'setup_intent.setup_failed',
    )
    return { intent, declined: outcome }
  }
  saveMethod(change, method, { customer: ready.customer, isSetUp: true })
  const intent = change.update('setup_intent', before, () => setUp(ready, outcome), 'setup_intent.succeeded')
  if (subscription) prepare(change, subscription, method)
  return { intent, declined: null }
}

/** The outcome of an authentication that the customer fails. */
export const NOT_SET_UP: Outcome & { approved: false } = {
  ...(declined('setup_intent_authentication_failure', null) as Outcome & { approved: false }),
  message: 'The latest attempt to set up the payment method has failed because authentication failed.',
}

/** The outcome of an authentication after which the payment method cannot be saved. */
export const NOT_SAVABLE: Outcome & { approved: false } = {
  ...NOT_SET_UP,
  code: 'payment_method_unexpected_state',
  message:
    'The payment method was not saved, because it belongs to another customer, or its customer was deleted.',
}

/** Ends the wait of a subscription for a payment method. */
function prepare(change: Change, subscription: Subscription, method: PaymentMethod): void {
  change.update(
    'subscription',
    subscription,
    (latest) => ({
      ...latest,
      pending_setup_intent: null,
      default_payment_method: latest.saves_payment_method ? method.id : latest.default_payment_method,
    }),
    'subscription.updated',
  )
}
