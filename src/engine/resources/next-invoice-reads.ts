import { discountIdsOf } from '../../core/billing/discounting.ts'
import { compareJobs, isNotice, type Job, scheduleJobs, subscriptionJobs } from '../../core/jobs.ts'
import type { Subscription } from '../../core/subscription.ts'
import { isMetered } from '../../core/subscription-item.ts'
import { currentIndex } from '../../core/subscription-schedule.ts'
import { factsOf } from '../../core/subscription-status.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { countPendingItems } from './waiting-items.ts'

/**
 * Returns the next job of a subscription or its schedule that can lead to an invoice; undefined if there will be no further
 * invoice, because the job cancels the subscription and leaves nothing to bill.
 */
export function jobBeforeInvoice(unit: UnitOfWork, subscription: Subscription): Job | undefined {
  const { schedule } = subscription
  const [job] = [
    ...subscriptionJobs(subscription).filter((each) => !isNotice(each)),
    ...(schedule === null ? [] : scheduleJobs(unit.need('subscription_schedule', schedule))),
  ].toSorted(compareJobs)
  return job?.kind === 'cancellation' && !leavesRest(subscription) ? undefined : job
}

/** Reports whether a planned cancellation may have something to bill: pending items, those of a pending update, or usage. */
const leavesRest = (subscription: Subscription): boolean =>
  subscription.has_pending_items ||
  subscription.pending_update !== null ||
  (factsOf(subscription).isBilled && subscription.items.some(isMetered))

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
