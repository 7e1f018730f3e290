import { compareJobs, isNotice, type Job, scheduleJobs, subscriptionJobs } from '../../core/jobs.ts'
import type { Subscription } from '../../core/subscription.ts'
import { isMetered } from '../../core/subscription-item.ts'
import { factsOf } from '../../core/subscription-status.ts'
import type { UnitOfWork } from '../machine/unit.ts'

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
