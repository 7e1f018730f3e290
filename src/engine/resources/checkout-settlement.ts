import { isSavable } from '../../core/billing/confirm.ts'
import { Change } from '../../core/change.ts'
import { type CheckoutSession, checkoutFactsOf, isPaidLater } from '../../core/checkout-session.ts'
import { asSubmitted } from '../../core/checkout-trial.ts'
import { ApiError, paymentIntentUnexpectedState, setupIntentUnexpectedState } from '../../core/errors.ts'
import { intentFactsOf, type PaymentIntent } from '../../core/payment-intent.ts'
import { type SetupIntent, setupFactsOf } from '../../core/setup-intent.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { withdrawPayment } from './checkout-intents.ts'
import { finishPaid, finishSetUp, invoicePaid } from './checkout-payment.ts'
import { clockOf } from './checkout-session.ts'
import { totalsOf } from './checkout-totals.ts'
import { settlePaymentIntent } from './payment-intent.ts'
import { settleSetupIntent } from './setup-intent.ts'

/**
 * Settles an intent that waits for the customer, and completes the Checkout session that waits for it. If the purchase has changed,
 * the payment is withdrawn instead.
 * @throws what settlePaymentIntent throws
 * See docs/contract/checkout-sessions.md#authentication.
 */
export function settlePayment(unit: UnitOfWork, id: string, outcome: 'succeed' | 'fail'): PaymentIntent {
  const session = sessionOf(unit, 'payment_intent', id)
  if (!session) return settlePaymentIntent(unit, id, outcome)
  const intent = unit.need('payment_intent', id)
  const { awaitsCustomer } = intentFactsOf(intent)
  const isLate = isPaidLater(session)
  const completes = outcome === 'succeed' && awaitsCustomer && !isLate
  if (completes && !(stillCosts(unit, session, intent.amount) && savesMethod(unit, intent))) {
    withdrawPayment(unit, session)
    return unit.need('payment_intent', id)
  }
  const settled = settlePaymentIntent(unit, id, outcome)
  if (isLate) reportLatePayment(unit, session, settled)
  else if (intentFactsOf(settled).isPaid) finishPaid(unit, asSubmitted(session), settled)
  return unit.need('payment_intent', id)
}

/** Settles a setup intent as settlePayment does a payment intent. @throws what settleSetupIntent throws */
export function settleSetup(unit: UnitOfWork, id: string, outcome: 'succeed' | 'fail'): SetupIntent {
  const session = sessionOf(unit, 'setup_intent', id)
  const { awaitsCustomer } = setupFactsOf(unit.find('setup_intent', id))
  if (session && outcome === 'succeed' && awaitsCustomer && !stillCosts(unit, session, 0)) {
    withdrawPayment(unit, session)
    return unit.need('setup_intent', id)
  }
  const settled = settleSetupIntent(unit, id, outcome)
  if (session && setupFactsOf(settled).isSetUp) finishSetUp(unit, asSubmitted(session), settled)
  return settled
}

/** Reports whether a session is open, and its total and amount due are still those of the submission. */
function stillCosts(unit: UnitOfWork, session: CheckoutSession, amount: number): boolean {
  const { customer } = session
  const isGone = customer !== null && unit.need('customer', customer).deleted
  if (!checkoutFactsOf(session).isOpen || isGone) return false
  try {
    const { session: current, due } = totalsOf(unit, asSubmitted(session))
    return due === amount && current.amount_total === session.amount_total
  } catch (error) {
    // The purchase can no longer be made, for example with a deleted coupon. Overload and mistakes of paytwin are not such a reason.
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error
    return false
  }
}

/** Reports whether a payment method that a payment saves can be saved. */
function savesMethod(unit: UnitOfWork, { customer, payment_method, options }: PaymentIntent): boolean {
  if (!options?.setup_future_usage || payment_method === null) return true
  const method = unit.need('payment_method', payment_method)
  return isSavable(method, customer === null ? null : unit.need('customer', customer))
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
 * Checks that an intent was not made by a Checkout session that waits for its payment. Only that session can confirm or change it,
 * and while it is open, cancel it.
 * @throws ApiError payment_intent_unexpected_state, setup_intent_unexpected_state
 */
export function checkNotOfCheckout(
  unit: UnitOfWork,
  field: 'payment_intent' | 'setup_intent',
  id: string,
  done: 'canceled' | 'changed' | 'confirmed',
): void {
  const session = sessionOf(unit, field, id)
  if (!session) return
  const { isOpen } = checkoutFactsOf(session)
  if (!isOpen && (done === 'canceled' || !isPaidLater(session))) return
  const advice = isOpen ? ' Submit or expire the session instead.' : ''
  const refusal = field === 'setup_intent' ? setupIntentUnexpectedState : paymentIntentUnexpectedState
  throw refusal(
    `The ${field.replace('_', ' ')} '${id}' was created by the Checkout Session '${session.id}' and cannot be ${done} directly.${advice}`,
  )
}
