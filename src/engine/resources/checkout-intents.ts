import { Change } from '../../core/change.ts'
import type { CheckoutSession } from '../../core/checkout-session.ts'
import { canceledIntent, intentFactsOf } from '../../core/payment-intent.ts'
import { canceledSetup, setupFactsOf } from '../../core/setup-intent.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { clockOf } from './checkout-session.ts'

/** The intents of a session. */
type Intents = Pick<CheckoutSession, 'payment_intent' | 'setup_intent'>

/**
 * Cancels the intents of a session that have not succeeded, so that their customer cannot complete them.
 * @returns the intents that the session keeps
 */
export function cancelIntents(unit: UnitOfWork, change: Change, session: CheckoutSession): Intents {
  const payment = session.payment_intent === null ? null : unit.need('payment_intent', session.payment_intent)
  const cancelsPayment = payment !== null && !intentFactsOf(payment).isPaid
  if (cancelsPayment) {
    const now = clockOf(unit, session).instant
    change.update(
      'payment_intent',
      payment,
      (intent) => canceledIntent(intent, { now, reason: 'abandoned' }),
      'payment_intent.canceled',
    )
  }
  const setup = session.setup_intent === null ? null : unit.need('setup_intent', session.setup_intent)
  const cancelsSetup = setup !== null && !setupFactsOf(setup).isFinished
  if (cancelsSetup)
    change.update(
      'setup_intent',
      setup,
      (intent) => canceledSetup(intent, 'abandoned'),
      'setup_intent.canceled',
    )
  return {
    payment_intent: cancelsPayment ? null : session.payment_intent,
    setup_intent: cancelsSetup ? null : session.setup_intent,
  }
}

/**
 * Withdraws the payment of a session whose purchase has changed. The next submission makes a new one.
 * @returns the session without the canceled intents
 * See docs/contract/checkout-sessions.md#withdrawn-payments.
 */
export function withdrawPayment(unit: UnitOfWork, session: CheckoutSession): CheckoutSession {
  if (session.payment_intent === null && session.setup_intent === null) return session
  const change = new Change()
  const left = cancelIntents(unit, change, session)
  const after = change.update('checkout_session', session, (latest) => ({ ...latest, ...left }))
  apply(unit, change, clockOf(unit, session))
  return after
}
