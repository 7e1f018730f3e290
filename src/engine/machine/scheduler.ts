import { assert } from '../../core/errors.ts'
import type { EventType } from '../../core/kinds.ts'
import type { QueuedJob } from '../../store/jobs.ts'
import type { Store } from '../../store/store.ts'
import { type Clock, stopwatch } from './clock.ts'
import { DueJobs } from './due-jobs.ts'
import { runJob } from './jobs.ts'
import type { UnitOfWork } from './unit.ts'

/** How long a batch may run before requests are served, in milliseconds. */
const BATCH_MS = 20

/** The results of an advance. See docs/contract/clocks.md#clock-endpoints. */
export type Summary = {
  readonly jobs: number
  readonly events: number
  readonly invoices_paid: number
  readonly payments_failed: number
  /** The type of the event that ended it; null when it reached its target or was canceled. */
  readonly stopped_on: EventType | null
}

export const EMPTY_SUMMARY: Summary = {
  jobs: 0,
  events: 0,
  invoices_paid: 0,
  payments_failed: 0,
  stopped_on: null,
}

/** The options of an advance. See docs/contract/clocks.md#stop-on. */
export type AdvanceOptions = {
  /** The advance ends after the first event of one of these types. */
  readonly stop_on: readonly EventType[]
  /** Whether each step waits for the webhooks of the previous one. */
  readonly await_webhooks: boolean
}

/** The options and progress of an advance as stored in the clock's row, so that a restart can continue it. */
type Stored = AdvanceOptions & {
  readonly summary: Summary
  /** Whether it only brings a live clock up to the wall clock, whose offset it keeps. */
  readonly is_catch_up: boolean
}

export const storedAdvance = ({
  stop_on = [],
  await_webhooks = false,
  summary = EMPTY_SUMMARY,
  is_catch_up = false,
}: Partial<Stored>): string =>
  JSON.stringify({ stop_on, await_webhooks, summary, is_catch_up } satisfies Stored)

/** Reports whether the advance of a clock waits for webhooks. */
export const awaitsWebhooks = (clock: Clock): boolean =>
  clock.advance !== null && (JSON.parse(clock.advance) as Stored).await_webhooks

/** Returns the summary so far of a clock's advance; undefined when there is none. */
export const progressOf = (clock: Clock): Summary | undefined =>
  clock.advance === null ? undefined : (JSON.parse(clock.advance) as Stored).summary

/**
 * Runs the due jobs of a clock up to a target within the open transaction: the earliest first, with the clock at its
 * instant. Returns after a while, so that requests are served.
 * @param newUnit - creates the unit of one job
 * @returns whether the target was reached, or a job emitted one of the `stop_on` events; and whether to wait for
 *   webhooks before the next step
 * See docs/contract/clocks.md#advancing.
 */
export function runBatch(
  store: Store,
  clock: Clock,
  newUnit: () => UnitOfWork,
): { isDone: boolean; isWaiting: boolean; summary: Summary } {
  const { target, advance } = clock
  assert(target !== null && advance !== null, 'a batch belongs to an advance')
  const { summary: before, ...options } = JSON.parse(advance) as Stored
  const { stop_on, await_webhooks, is_catch_up } = options
  const summary = { ...before }
  const started = stopwatch()
  let previous: QueuedJob | undefined
  let isWaiting = false
  const jobs = new DueJobs(store, clock, target)
  do {
    const job = jobs.next()
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
  } while (!isWaiting && stopwatch() - started < BATCH_MS)
  // Keeping the objects of past jobs longer would cost more garbage collection than reading the few that are needed
  // again.
  store.objects.forget()
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
