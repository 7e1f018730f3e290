import { Change } from '../../core/change.ts'
import { type CheckoutSession, expired } from '../../core/checkout-session.ts'
import { canceledIntent, intentFactsOf } from '../../core/payment-intent.ts'
import { canceledSetup, setupFactsOf } from '../../core/setup-intent.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/**
 * Expires a session, and cancels the intents that wait for its customer.
 * @throws ApiError resource_missing; invalid_state_transition when it is not open
 * See docs/contract/checkout-sessions.md#expiry.
 */
export function expireCheckoutSession(unit: UnitOfWork, id: string): CheckoutSession {
  const session = unit.find('checkout_session', id)
  const clock = unit.clockOf(session.test_clock)
  const after = expired(session)
  const change = new Change()
  const payment = session.payment_intent === null ? null : unit.need('payment_intent', session.payment_intent)
  if (payment && !intentFactsOf(payment).isPaid)
    change.update(
      'payment_intent',
      payment,
      (intent) => canceledIntent(intent, { now: clock.instant, reason: 'abandoned' }),
      'payment_intent.canceled',
    )
  const setup = session.setup_intent === null ? null : unit.need('setup_intent', session.setup_intent)
  if (setup && !setupFactsOf(setup).isFinished)
    change.update(
      'setup_intent',
      setup,
      (intent) => canceledSetup(intent, 'abandoned'),
      'setup_intent.canceled',
    )
  change.update('checkout_session', session, () => after, 'checkout.session.expired')
  apply(unit, change, clock)
  return after
}
