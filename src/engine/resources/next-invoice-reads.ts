import type { Subscription } from '../../core/subscription.ts'
import { currentIndex } from '../../core/subscription-schedule.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { countPendingItems } from './waiting-items.ts'

/**
 * Counts what the next invoice of a subscription reads beside the subscription: items and discounts in current and future phases of its
 * schedule, and pending invoice items for each phase. To find the next invoice, the phases before it are rehearsed.
 */
export function readForNextInvoice(unit: UnitOfWork, subscription: Subscription): number {
  const { schedule: id } = subscription
  const schedule = id === null ? undefined : unit.get('subscription_schedule', id)
  const phases = schedule?.phases.slice(Math.max(0, currentIndex(schedule))) ?? []
  const ofPhases = phases.flatMap(({ items, discounts = [] }) => [
    ...items.map((item) => 1 + (item.discounts?.length ?? 0)),
    discounts.length,
  ])
  const rehearsed = Math.max(1, phases.length)
  return ofPhases.reduce((sum, each) => sum + each, 0) + rehearsed * countPendingItems(unit, subscription)
}
