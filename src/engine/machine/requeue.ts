import type { Job } from '../../core/jobs.ts'
import type { Clock } from './clock.ts'
import type { UnitOfWork } from './unit.ts'

/**
 * Updates a clock's queue: removes the jobs that are no longer derived from an object's state, and adds the new ones. A
 * job that is unchanged keeps its position. A new job whose instant has passed is due at once, such as the due date of a draft that
 * is finalized after it.
 * See docs/contract/clocks.md#order-of-jobs.
 */
export function requeue(
  unit: UnitOfWork,
  { seq }: Clock,
  before: readonly Job[],
  after: readonly Job[],
): void {
  const { jobs } = unit.store
  for (const job of before) if (!isIn(after, job)) jobs.remove(seq, job)
  for (const job of after) {
    if (isIn(before, job)) continue
    jobs.add(seq, unit.owner, job, unit.ids.nextNumber(unit.owner, 'job'))
  }
}

const isIn = (jobs: readonly Job[], { due, kind, subscription }: Job): boolean =>
  jobs.some((job) => job.due === due && job.kind === kind && job.subscription === subscription)
