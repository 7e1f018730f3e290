import { assert } from '../core/errors.ts'
import type { EventType } from '../core/event.ts'
import type { QueuedJob } from '../store/jobs.ts'
import type { Store } from '../store/store.ts'
import { type Clock, stopwatch } from './clock.ts'
import { DueJobs } from './due-jobs.ts'
import { runJob } from './jobs.ts'
import type { Unit } from './unit.ts'

/** How long a batch may hold the process before requests get their turn, in milliseconds. */
const BATCH_MS = 20

/** What an advance has done. See docs/contract/clocks.md#clock-endpoints. */
export type Summary = {
  readonly jobs: number
  readonly events: number
  readonly invoices_paid: number
  readonly payments_failed: number
  /** The type of the event that ended it; null when it came to its target or was canceled. */
  readonly stopped_on: EventType | null
}

export const NOTHING_DONE: Summary = {
  jobs: 0,
  events: 0,
  invoices_paid: 0,
  payments_failed: 0,
  stopped_on: null,
}

/** What an advance can be asked for beside its target. See docs/contract/clocks.md#stop-on. */
export type AdvanceOptions = {
  /** Types of events after whose first it ends. */
  readonly stop_on: readonly EventType[]
  /** Whether each step waits until the webhooks of the one before were answered. */
  readonly await_webhooks: boolean
}

/** What a clock row holds of the advance under way, so that a restart goes on with it. */
type Stored = AdvanceOptions & {
  readonly summary: Summary
  /** Whether it only brings a live clock up to the wall clock, whose pace it keeps afterwards. */
  readonly is_catch_up: boolean
}

export const storedAdvance = ({
  stop_on = [],
  await_webhooks = false,
  summary = NOTHING_DONE,
  is_catch_up = false,
}: Partial<Stored>): string =>
  JSON.stringify({ stop_on, await_webhooks, summary, is_catch_up } satisfies Stored)

/** Whether the advance under way on a clock waits for webhooks. */
export const awaitsWebhooks = (clock: Clock): boolean =>
  clock.advance !== null && (JSON.parse(clock.advance) as Stored).await_webhooks

/** The summary so far of the advance under way on a clock; undefined when there is none. */
export const progressOf = (clock: Clock): Summary | undefined =>
  clock.advance === null ? undefined : (JSON.parse(clock.advance) as Stored).summary

/**
 * Runs, within the transaction under way, what is due on a clock up to a target: the earliest job first, with the clock at
 * its instant. Ends after a while to let others in.
 * @param newUnit - makes the unit in which one job runs
 * @returns whether the target is reached, or a job emitted one of the `stop_on` events; and whether webhooks are to be
 * waited for before the next step
 * See docs/contract/clocks.md#advancing.
 */
export function runBatch(
  store: Store,
  clock: Clock,
  newUnit: () => Unit,
): { isDone: boolean; isWaiting: boolean; summary: Summary } {
  const { target, advance } = clock
  assert(target !== null && advance !== null, 'a batch belongs to an advance')
  const { summary: before, ...asked } = JSON.parse(advance) as Stored
  const { stop_on, await_webhooks, is_catch_up } = asked
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
    assert(!isSame(job, previous), `the ${job.kind} of ${job.object} leaves the queue once it has run`)
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
  // Kept any longer, the objects of past jobs would cost the collector more than reading the few that come back.
  store.objects.forget()
  clock.begin(target, storedAdvance({ ...asked, summary }))
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
