import { formatInstant } from '../core/calendar.ts'
import { parameterInvalid } from '../core/errors.ts'
import type { QueuedJob } from '../store/jobs.ts'
import type { Store } from '../store/store.ts'
import { isOfStorage } from '../store/unusable.ts'
import { AdvancePutOff, type Advances } from './advances.ts'
import type { Clock } from './clock.ts'
import type { Listeners } from './listeners.ts'
import type { MerchantState } from './merchant-state.ts'
import { type AdvanceOptions, type Summary, storedAdvance } from './scheduler.ts'
import type { Transactions } from './transactions.ts'
import type { Unit } from './unit.ts'

/**
 * Moves clocks: by an advance that was asked for, or to keep a live one up with the wall clock.
 * See docs/contract/clocks.md#advancing.
 */
export class Timekeeper {
  readonly #store: Store
  readonly #transactions: Transactions
  readonly #advances: Advances
  readonly #listeners: Listeners
  /** Live clocks with a due job that failed, or whose jobs cannot be read: they are not caught up again by themselves. */
  readonly #stuck = new Set<Clock>()

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
   * Starts to move a clock forward, from due job to due job, once the transaction under way is committed.
   * @param target - Unix seconds
   * @returns what the advance did, when it has ended or was canceled
   * @throws ApiError parameter_invalid, param `param`, for a target that is not ahead
   */
  start(
    unit: Unit,
    clock: Clock,
    { target, param, options }: { target: number; param: string; options: Partial<AdvanceOptions> },
  ): Promise<Summary> {
    unit.touch(clock)
    this.check(clock, target, param)
    clock.begin(target, storedAdvance(options))
    return this.#advances.startOnCommit(unit.merchant, clock)
  }

  /** Lets a live clock catch up by itself again, after a job on it has failed. */
  release(clock: Clock): void {
    this.#stuck.delete(clock)
  }

  /**
   * Whether a clock can move to a target: forward, or to the present instant while something is due there.
   * @throws ApiError parameter_invalid for the parameter that named the target
   */
  check(clock: Clock, target: number, param: string): void {
    const { now } = clock
    if (target > now || (target === now && this.#isDueBy(clock, target))) return
    const [from, to] = [formatInstant(now), formatInstant(target)]
    throw parameterInvalid(
      param,
      `The clock can only move forward: it stands at ${from}, and ${to} is not after that`,
    )
  }

  /**
   * Ends the advance under way on a clock, if there is one: a running advance after its current batch, a stalled one at once.
   * @throws when the end of a stalled advance cannot be written; the advance is then not canceled
   */
  cancel(merchant: MerchantState, clock: Clock): void {
    this.#advances.cancel(merchant, clock)
  }

  /** Goes on with the advances that a crash or a stop interrupted. */
  resume(merchants: Iterable<MerchantState>): Promise<Summary>[] {
    return [...merchants].flatMap((merchant) =>
      [merchant.clock, ...merchant.testClocks.advancing()]
        .filter((clock) => clock.target !== null)
        .map((clock) => this.#advances.goOn(merchant, clock)),
    )
  }

  /** Whether a live clock has something due that has not run. @throws when the disk cannot be read */
  isOverdue(clock: Clock): boolean {
    const next = this.#nextJob(clock)
    return next !== undefined && next.due <= clock.now
  }

  /**
   * Begins to run what is due on a merchant's live clock, once the transaction under way is committed.
   * @returns when that has ended, well or not; undefined when nothing is due
   */
  catchUp(merchant: MerchantState): Promise<void> | undefined {
    const { clock, settings } = merchant
    if (!this.isOverdue(clock)) return undefined
    clock.begin(clock.now, storedAdvance({ is_catch_up: true }))
    return this.#advances.startOnCommit(merchant, clock).then(
      (summary) => this.#listeners.tell((listener) => listener.caughtUp?.(settings.id, summary)),
      (error: unknown) => {
        // When there is room again it goes on: that is no mistake that would repeat itself.
        if (!(error instanceof AdvancePutOff)) this.#stuck.add(clock)
      },
    )
  }

  /**
   * Begins to run what is due on the live clocks of some merchants, each in a transaction of its own, and goes on with the advances
   * that a full disk has stopped. What fails is reported, and does not keep the others from running.
   * @returns for each clock that was behind, when it has caught up or failed to
   */
  runDue(merchants: Iterable<MerchantState>): Promise<void>[] {
    const begun: Promise<void>[] = []
    for (const merchant of merchants) {
      this.#advances.resumeStalled(merchant)
      const { clock, settings } = merchant
      try {
        if (!this.isOverdue(clock)) continue
        const done = this.#transactions.run([clock], () => this.catchUp(merchant))
        if (done) begun.push(done)
      } catch (error) {
        this.#listeners.report(error, `running what is due on the clock of ${settings.id}`)
      }
    }
    return begun
  }

  /** When the next job of some clocks is due: Unix milliseconds of the wall clock, Infinity if none is. What fails is reported. */
  nextDue(clocks: Iterable<Clock>): number {
    let earliest = Number.POSITIVE_INFINITY
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

  /** Whether any clock moves. */
  get isMoving(): boolean {
    return this.#advances.isMoving
  }

  /** Resolves when what moves now has ended, well or not. */
  rest(): Promise<void> {
    return this.#advances.rest()
  }

  /** Forgets what it knows of clocks, when others have come in their place. */
  forget(): void {
    this.#stuck.clear()
  }

  /** Stops what moves at the next border of a batch; it goes on at the next start. */
  stop(): Promise<void> {
    return this.#advances.stop()
  }

  /**
   * The job that a live clock runs next by itself; undefined when there is none, or it is up to somebody else: while an advance
   * moves the clock, when it is stuck, and when the daemon stops. A clock whose jobs are damaged gets stuck.
   * @throws when the disk cannot be read
   */
  #nextJob(clock: Clock): QueuedJob | undefined {
    const runsByItself =
      clock.mode === 'live' && clock.target === null && !this.#advances.isStopping && !this.#stuck.has(clock)
    if (!runsByItself) return undefined
    try {
      return this.#store.jobs.first(clock.seq)
    } catch (error) {
      if (isOfStorage(error)) throw error
      this.#stuck.add(clock)
      this.#listeners.report(
        error,
        `reading the jobs of the clock ${clock.id}, which runs none of them from now on`,
      )
      return undefined
    }
  }

  #isDueBy(clock: Clock, instant: number): boolean {
    const job = this.#store.jobs.first(clock.seq)
    return job !== undefined && job.due <= instant
  }
}
