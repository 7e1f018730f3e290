import { withoutEnded } from '../../core/billing/discounting.ts'
import { Change } from '../../core/change.ts'
import type { Discount } from '../../core/discount.ts'
import { discountMissing } from '../../core/errors.ts'
import { hasEnded } from '../../core/subscription-status.ts'
import { cannotBe } from '../../core/transitions.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { endDiscount } from './discount.ts'
import { updateCurrentPhase } from './schedule-sync.ts'

/**
 * Removes the discounts of a subscription; those of its items stay.
 * @returns the newest of them
 * @throws ApiError resource_missing, also without a discount; invalid_state_transition when it has ended
 */
export function deleteSubscriptionDiscounts(unit: UnitOfWork, id: string): Discount {
  const subscription = unit.find('subscription', id)
  if (hasEnded(subscription)) throw cannotBe('A subscription', subscription, 'changed')
  const discounts = subscription.discounts.map((each) => unit.need('discount', each))
  const last = discounts.at(-1)
  if (!last) throw discountMissing('subscription', id)
  const change = new Change()
  for (const discount of discounts) endDiscount(change, discount)
  change.update(
    'subscription',
    subscription,
    (latest) => withoutEnded(change, latest),
    'subscription.updated',
  )
  updateCurrentPhase(unit, change, subscription)
  apply(unit, change, unit.clockOf(subscription.test_clock))
  return change.latest('discount', last)
}
