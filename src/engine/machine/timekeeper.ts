import { formatInstant } from '../../core/calendar.ts'
import { parameterInvalid } from '../../core/errors.ts'
import type { QueuedJob } from '../../store/jobs.ts'
import type { Store } from '../../store/store.ts'
import { recordClockEvent } from '../resources/clock-event.ts'
import type { Advances } from './advances.ts'
import { nextStep } from './arrivals.ts'
import type { Clock } from './clock.ts'
import { workBriefly } from './gate.ts'
import type { Listeners } from './listeners.ts'
import type { MerchantState } from './merchant-state.ts'
import { type AdvanceOptions, inOrder, type Summary, storedAdvance } from './stored-advance.ts'
import type { Transactions } from './transactions.ts'
import type { UnitOfWork } from './unit.ts'
import { UnreadableClocks } from './unreadable-clocks.ts'

/**
 * Moves clocks: by a requested advance, or to bring a live clock up to the wall clock.
 * See docs/contract/clocks.md#advancing.
 */
export class Timekeeper {
  readonly #store: Store
  readonly #transactions: Transactions
  readonly #advances: Advances
  readonly #listeners: Listeners
  readonly #unreadable = new UnreadableClocks()

  constructor(given: {
    readonly store: Store
    readonly transactions: Transactions
    readonly advances: Advances
    readonly listeners: Listeners
  }) {
    this.#store = given.store
    this.#transactions = given.transactions
    this.#advances = given.advances
    this.#listeners = given.listeners
  }

  /**
   * Starts to advance a clock, job by job, once the open transaction is committed.
   * @param target - Unix seconds
   * @returns the summary of the advance once it has ended or was canceled
   * @throws ApiError parameter_invalid, param `param`, for a target that is not ahead
   */
  start(
    unit: UnitOfWork,
    clock: Clock,
    { target, param, options }: { target: number; param: string; options: Partial<AdvanceOptions> },
  ): Promise<Summary> {
    unit.touch(clock)
    this.check(clock, target, param)
    clock.begin(target, storedAdvance({ ...options, number: this.#advances.nextNumber(unit.merchant) }))
    recordClockEvent(unit, clock, 'test_helpers.test_clock.advancing')
    return this.#advances.startOnCommit(unit.merchant, clock)
  }

  /** Lets a live clock run its due jobs again, after a job on it has failed. */
  release(clock: Clock): void {
    this.#advances.suspended.release(clock)
  }

  /** Whether the jobs of a live clock do not run by themselves now. */
  isSuspended(clock: Clock): boolean {
    return this.#advances.suspended.has(clock)
  }

  /**
   * Checks that a clock can move to a target: forward, or to the current instant while a job is due there.
   * @throws ApiError parameter_invalid for the parameter that named the target
   */
  check(clock: Clock, target: number, param: string): void {
    const { now } = clock
    if (target > now || (target === now && this.#isDueBy(clock, target))) return
    const [from, to] = [formatInstant(now), formatInstant(target)]
    throw parameterInvalid(
      param,
      `The clock can only move forward: its time is ${from}, and ${to} is not after that`,
    )
  }

  /**
   * Ends the advance of a clock, if there is one: a running advance after its current batch, a stalled one at once.
   * @throws when the end of a stalled advance cannot be written; the advance is then not canceled
   */
  cancel(merchant: MerchantState, clock: Clock): void {
    this.#advances.cancel(merchant, clock)
  }

  /** Cancels the advances of a merchant, and resolves when those that were running have ended, successfully or not. @throws as `cancel` */
  endAll(merchant: MerchantState): Promise<void> {
    return this.#advances.endAll(merchant)
  }

  /**
   * Continues the advances that a crash or a stop interrupted.
   * @returns the summary of each at its end; undefined if it was interrupted again, or canceled
   */
  resume(merchants: Iterable<MerchantState>): Promise<Summary | undefined>[] {
    // All are read before the first one runs: a start that cannot read them changes nothing.
    const all = [...merchants].flatMap((merchant) =>
      inOrder([merchant.clock, ...merchant.testClocks.advancing()]).map((clock) => ({ merchant, clock })),
    )
    return all.flatMap(({ merchant, clock }) => {
      const { target } = clock
      if (target === null) return []
      const done = this.#advances.resume(merchant, clock)
      return [done.then((summary) => (isComplete(clock, target, summary) ? summary : undefined))]
    })
  }

  /** Reports whether a live clock has a due job that has not run. @throws when the disk cannot be read */
  isOverdue(clock: Clock): boolean {
    const next = this.#nextJob(clock)
    return next !== undefined && next.due <= clock.now
  }

  /**
   * Begins to run the due jobs of a merchant's live clock once the open transaction is committed. While the daemon stops, they are
   * left to the next start: the clock's row keeps the target, and no command runs on the clock until then.
   * @returns when that has ended, successfully or not; undefined when nothing is due, or is left
   */
  catchUp(merchant: MerchantState): Promise<void> | undefined {
    const { clock, settings } = merchant
    if (!this.isOverdue(clock)) return undefined
    const target = clock.now
    clock.begin(target, storedAdvance({ is_catch_up: true }))
    if (this.#advances.isStopping) return undefined
    return this.#advances.startOnCommit(merchant, clock).then(
      (summary) => {
        if (isComplete(clock, target, summary))
          this.#listeners.notify((listener) => listener.caughtUp?.(settings.id, summary))
      },
      // It is reported, and tried again by itself or suspended.
      () => undefined,
    )
  }

  /**
   * Begins to run the due jobs of the live clocks of some merchants, each in its own transaction, and resumes the
   * advances that the disk has stalled. Requests are served in between, so calls may overlap: a clock that has begun is
   * no longer overdue. A failure is reported and does not affect the others.
   * @param merchants - leaves out those that are deleted or replaced meanwhile, as the iterator of a map does
   * @returns when the clocks that were behind have caught up, or failed to
   */
  async runDue(merchants: Iterator<MerchantState>): Promise<void> {
    const begun: Promise<void>[] = []
    const beginNext = () => {
      const { value, done } = merchants.next()
      if (done) return false
      const caughtUp = this.#beginDue(value)
      if (caughtUp) begun.push(caughtUp)
      return true
    }
    while (!this.#advances.isStopping && workBriefly(beginNext)) await nextStep()
    await Promise.all(begun)
  }

  /**
   * Returns when the next job of some clocks is due: Unix milliseconds of the wall clock, Infinity without any, and when
   * the daemon stops. Reports failures.
   */
  nextDue(clocks: Iterable<Clock>): number {
    let earliest = Number.POSITIVE_INFINITY
    if (this.#advances.isStopping) return earliest
    for (const clock of clocks) {
      try {
        const next = this.#nextJob(clock)
        if (next) earliest = Math.min(earliest, clock.wallTimeOf(next.due))
      } catch (error) {
        this.#listeners.report(error, `looking up what is due next on the clock ${clock.id}`)
      }
    }
    return earliest
  }

  /** Whether advances stop and none may start. */
  get isStopping(): boolean {
    return this.#advances.isStopping
  }

  /** Whether any clock is advancing. */
  get isMoving(): boolean {
    return this.#advances.isMoving
  }

  /** Resolves when the advances that run now have ended, successfully or not. */
  idle(): Promise<void> {
    return this.#advances.idle()
  }

  /** Clears its caches after the clocks were replaced. */
  forget(): void {
    this.#advances.suspended.clear()
  }

  /** Stops all advances after their current batch; they continue at the next start. */
  stop(): Promise<void> {
    return this.#advances.stop()
  }

  /** @returns when the merchant's live clock has caught up, or failed to; undefined if nothing has begun */
  #beginDue(merchant: MerchantState): Promise<void> | undefined {
    if (merchant.awaitingDeletion) return undefined
    this.#advances.resumeStalled(merchant)
    const { clock, settings } = merchant
    try {
      if (!this.isOverdue(clock)) return undefined
      return this.#transactions.run([clock], () => this.catchUp(merchant))
    } catch (error) {
      if (this.#transactions.disk.isNew(error))
        this.#listeners.report(error, `running the due jobs of the clock of ${settings.id}`)
      return undefined
    }
  }

  /**
   * Returns the next job of a live clock; undefined when there is none, while an advance moves the clock, and while the clock is
   * suspended. A clock whose jobs are damaged is suspended.
   * @throws when the disk cannot be read
   */
  #nextJob(clock: Clock): QueuedJob | undefined {
    const { suspended } = this.#advances
    const runsByItself = clock.mode === 'live' && clock.target === null && !suspended.has(clock)
    if (!runsByItself) return undefined
    try {
      const job = this.#store.jobs.first(clock.seq)
      this.#unreadable.recordRead(clock)
      if (job && job.due <= clock.now) suspended.retry(clock)
      else suspended.release(clock)
      return job
    } catch (error) {
      if (this.#unreadable.isTransient(clock, error)) throw error
      const isKnown = suspended.retry(clock)
      suspended.add(clock, error)
      if (!isKnown)
        this.#listeners.report(error, `reading the jobs of the clock ${clock.id}; none of them will run`)
      return undefined
    }
  }

  #isDueBy(clock: Clock, instant: number): boolean {
    const job = this.#store.jobs.first(clock.seq)
    return job !== undefined && job.due <= instant
  }
}

/** Reports whether an advance has come to its end: a stop interrupts it, and a cancel ends it before its target. */
const isComplete = (clock: Clock, target: number, { stopped_on }: Summary): boolean =>
  clock.target === null && (clock.now >= target || stopped_on !== null)
