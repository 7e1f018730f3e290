import { Change } from '../../core/change.ts'
import { type CheckoutSession, expired } from '../../core/checkout-session.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { cancelIntents } from './checkout-intents.ts'
import { clockOf } from './checkout-session.ts'

/**
 * Expires a session, and cancels the intents that wait for its customer.
 * @throws ApiError resource_missing; invalid_state_transition when it is not open
 * See docs/contract/checkout-sessions.md#expiry.
 */
export function expireCheckoutSession(unit: UnitOfWork, id: string): CheckoutSession {
  const session = unit.find('checkout_session', id)
  const after = expired(session)
  const change = new Change()
  cancelIntents(unit, change, session)
  change.update('checkout_session', session, () => after, 'checkout.session.expired')
  apply(unit, change, clockOf(unit, session))
  return after
}
