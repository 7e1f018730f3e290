import { Change } from '../../core/change.ts'
import { type CheckoutSession, checkoutFactsOf } from '../../core/checkout-session.ts'
import { paymentIntentUnexpectedState } from '../../core/errors.ts'
import { intentFactsOf, type PaymentIntent } from '../../core/payment-intent.ts'
import { type SetupIntent, setupFactsOf } from '../../core/setup-intent.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { finishPaid, finishSetUp, invoicePaid } from './checkout-payment.ts'
import { clockOf } from './checkout-session.ts'
import { settlePaymentIntent } from './payment-intent.ts'
import { settleSetupIntent } from './setup-intent.ts'

/**
 * Settles an intent that waits for the customer, and completes the Checkout session that waits for it.
 * @throws what settlePaymentIntent throws
 * See docs/contract/checkout-sessions.md#authentication.
 */
export function settlePayment(unit: UnitOfWork, id: string, outcome: 'succeed' | 'fail'): PaymentIntent {
  const settled = settlePaymentIntent(unit, id, outcome)
  const session = sessionOf(unit, 'payment_intent', id)
  if (!session) return settled
  const { isPaid } = intentFactsOf(settled)
  if (checkoutFactsOf(session).isComplete) reportLatePayment(unit, session, settled)
  else if (isPaid) finishPaid(unit, session, settled)
  return unit.need('payment_intent', id)
}

/** Settles a setup intent, and completes the Checkout session that waits for it. @throws what settleSetupIntent throws */
export function settleSetup(unit: UnitOfWork, id: string, outcome: 'succeed' | 'fail'): SetupIntent {
  const settled = settleSetupIntent(unit, id, outcome)
  const session = sessionOf(unit, 'setup_intent', id)
  if (session && setupFactsOf(settled).isSetUp) finishSetUp(unit, session, settled)
  return settled
}

/** Records the payment of a session that was completed before it was paid. */
function reportLatePayment(unit: UnitOfWork, session: CheckoutSession, intent: PaymentIntent): void {
  const { isPaid } = intentFactsOf(intent)
  const invoice = isPaid ? invoicePaid(unit, session, intent.id) : null
  const change = new Change()
  change.update(
    'checkout_session',
    session,
    (latest) => (isPaid ? { ...latest, payment_status: 'paid', invoice } : latest),
    isPaid ? 'checkout.session.async_payment_succeeded' : 'checkout.session.async_payment_failed',
  )
  apply(unit, change, clockOf(unit, session))
}

/** Returns the session that made an intent; undefined for none. */
function sessionOf(
  unit: UnitOfWork,
  field: 'payment_intent' | 'setup_intent',
  id: string,
): CheckoutSession | undefined {
  return unit.store.objects.list('checkout_session', unit.owner, [{ field, is: id }], { limit: 1 })[0]
}

/**
 * Checks that an intent was not made by an open Checkout session, which alone can confirm or cancel it.
 * @throws ApiError payment_intent_unexpected_state
 */
export function checkNotOfCheckout(
  unit: UnitOfWork,
  field: 'payment_intent' | 'setup_intent',
  id: string,
  done: string,
): void {
  const session = sessionOf(unit, field, id)
  if (!session || !checkoutFactsOf(session).isOpen) return
  throw paymentIntentUnexpectedState(
    `The ${field.replace('_', ' ')} '${id}' was created by the Checkout Session '${session.id}' and cannot be ${done} directly. Submit or expire the session instead.`,
  )
}
