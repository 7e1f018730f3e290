import { discountIdsOf } from '../../core/billing/discounting.ts'
import type { Subscription } from '../../core/subscription.ts'
import { currentIndex } from '../../core/subscription-schedule.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { jobBeforeInvoice } from './next-invoice-job.ts'
import { countPendingItems } from './waiting-items.ts'

/**
 * Counts what the next invoice of a subscription reads beside the subscription; 0 if there will be none. To find it, the phases of its
 * schedule before it are rehearsed. Each reads its items and discounts, and those that it leaves as they are: the discounts of the
 * subscription and the pending invoice items.
 */
export function readForNextInvoice(unit: UnitOfWork, subscription: Subscription): number {
  if (!jobBeforeInvoice(unit, subscription)) return 0
  const { schedule: id, items } = subscription
  const schedule = id === null ? undefined : unit.get('subscription_schedule', id)
  const phases = schedule?.phases.slice(Math.max(0, currentIndex(schedule))) ?? []
  const ofPhases = phases.map(({ items, discounts = [] }) =>
    items.reduce((sum, item) => sum + 1 + (item.discounts?.length ?? 0), discounts.length),
  )
  const ofSteps = ofPhases.length > 0 ? ofPhases : [items.length]
  const inEach = discountIdsOf(subscription).length + countPendingItems(unit, subscription)
  return ofSteps.reduce((sum, own) => sum + own + inEach, 0)
}
