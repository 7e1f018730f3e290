import { assert } from '../../core/errors.ts'
import type { EventType } from '../../core/kinds.ts'
import type { QueuedJob } from '../../store/jobs.ts'
import type { Clock } from './clock.ts'
import type { DueJobs } from './due-jobs.ts'
import { runJob } from './jobs.ts'
import { type Stored, type Summary, storedAdvance } from './stored-advance.ts'
import type { UnitOfWork } from './unit.ts'
import { startLimit, type WorkLimit } from './work-limits.ts'

/**
 * Runs the due jobs of a clock up to a target within the open transaction: the earliest first, with the clock at its
 * instant. Returns after a while, so that requests are served.
 * @param jobs - the due jobs of the advance, for all its batches
 * @param given.newUnit - creates the unit of one job
 * @returns whether the target was reached, or a job emitted one of the `stop_on` events; and whether to wait for
 *   webhooks before the next step
 * See docs/contract/clocks.md#advancing.
 */
export function runBatch(
  jobs: DueJobs,
  clock: Clock,
  { newUnit, limit }: { readonly newUnit: () => UnitOfWork; readonly limit: WorkLimit },
): { isDone: boolean; isWaiting: boolean; summary: Summary } {
  const { target, advance } = clock
  assert(target !== null && advance !== null, 'a batch belongs to an advance')
  const { summary: before, ...options } = JSON.parse(advance) as Stored
  const { stop_on, await_webhooks, is_catch_up } = options
  const summary = { ...before }
  const mayContinue = startLimit(limit)
  let previous: QueuedJob | undefined
  let isWaiting = false
  do {
    const job = jobs.next(target)
    if (!job) {
      clock.moveTo(target)
      clock.end({ keepsPace: is_catch_up })
      return { isDone: true, isWaiting: false, summary }
    }
    assert(!isSame(job, previous), `the ${job.kind} of ${job.object} is removed from the queue by running it`)
    previous = job
    clock.moveTo(Math.max(job.due, clock.instant))
    const unit = newUnit()
    runJob(unit, job)
    count(summary, unit.events)
    const stopped_on = unit.events.find((type) => stop_on.includes(type))
    if (stopped_on) {
      clock.end({ keepsPace: is_catch_up })
      return { isDone: true, isWaiting: false, summary: { ...summary, stopped_on } }
    }
    isWaiting = await_webhooks && unit.announced > 0
  } while (!isWaiting && mayContinue())
  jobs.endBatch()
  clock.begin(target, storedAdvance({ ...options, summary }))
  return { isDone: false, isWaiting, summary }
}

const isSame = (job: QueuedJob, other: QueuedJob | undefined) =>
  job.due === other?.due && job.kind === other.kind && job.object === other.object

function count(
  summary: { -readonly [Field in keyof Summary]: Summary[Field] },
  events: readonly EventType[],
): void {
  summary.jobs += 1
  summary.events += events.length
  summary.invoices_paid += events.filter((type) => type === 'invoice.paid').length
  summary.payments_failed += events.filter((type) => type === 'invoice.payment_failed').length
}
