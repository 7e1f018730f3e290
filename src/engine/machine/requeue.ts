import { assert } from '../../core/errors.ts'
import type { Job } from '../../core/jobs.ts'
import type { Clock } from './clock.ts'
import type { UnitOfWork } from './unit.ts'

/**
 * Updates a clock's queue: removes the jobs that are no longer derived from an object's state, and adds the new ones. A
 * job that is unchanged keeps its position.
 */
export function requeue(
  unit: UnitOfWork,
  { seq, instant }: Clock,
  before: readonly Job[],
  after: readonly Job[],
): void {
  const { jobs } = unit.store
  for (const job of before) if (!isIn(after, job)) jobs.remove(seq, job)
  for (const job of after) {
    if (isIn(before, job)) continue
    // A delivery is sent in real time: its clock may have passed its next attempt before its outcome is known.
    assert(job.due >= instant || job.kind === 'webhook_retry', `the ${job.kind} of ${job.object} is not past`)
    jobs.add(seq, unit.owner, job, unit.ids.nextNumber(unit.owner, 'job'))
  }
}

const isIn = (jobs: readonly Job[], { due, kind }: Job): boolean =>
  jobs.some((job) => job.due === due && job.kind === kind)
