import { internalError } from '../../core/errors.ts'
import type { Store } from '../../store/store.ts'
import { recordClockEvent } from '../resources/clock-event.ts'
import { unlessAborted } from './abort.ts'
import { AdvanceStalled } from './advance-stalled.ts'
import { AdvanceTurns, JOBS_ALONE, type QueuedAdvance } from './advance-turns.ts'
import { checkpointAfter } from './checkpoints.ts'
import type { Clock } from './clock.ts'
import { DueJobs } from './due-jobs.ts'
import { type Listeners, reportedElsewhere } from './listeners.ts'
import { hold, type MerchantState, type Waiting } from './merchant-state.ts'
import type { Outbox } from './outbox.ts'
import { runBatch } from './scheduler.ts'
import type { Steps } from './steps.ts'
import {
  awaitsWebhooks,
  EMPTY_SUMMARY,
  inOrder,
  isCatchUp,
  progressOf,
  type Summary,
} from './stored-advance.ts'
import { SuspendedClocks } from './suspended-clocks.ts'
import type { TransactionLog } from './transaction-log.ts'
import type { Transactions } from './transactions.ts'
import type { Units } from './units.ts'
import { UnreadableClocks } from './unreadable-clocks.ts'
import type { WorkLimit } from './work-limits.ts'

/** Controls a running advance. It waits neither for other advances nor for webhooks once it is canceled or the daemon stops. */
type Control = { readonly interrupted: AbortController; readonly queued: QueuedAdvance }
type Running = Control & { readonly done: Promise<Summary> }

/**
 * The advances in progress. Each runs in batches of due jobs, one transaction a batch; the clock's row stores its
 * progress. While it runs, writes that follow its clock wait.
 * See docs/contract/clocks.md#advancing.
 */
export class Advances {
  readonly #store: Store
  readonly #transactions: Transactions
  readonly #log: TransactionLog
  readonly #units: Units
  readonly #outbox: Outbox
  readonly #listeners: Listeners
  readonly #limit: WorkLimit
  readonly #running = new Map<Clock, Running>()
  /** Clocks whose advance ends after its current batch. An advance that stalls first ends once it can be written. */
  readonly #canceled = new WeakSet<Clock>()
  readonly #turns: AdvanceTurns
  readonly #unreadable = new UnreadableClocks()
  readonly suspended = new SuspendedClocks(this.#unreadable)
  #isStopping = false

  constructor(given: {
    readonly store: Store
    readonly transactions: Transactions
    readonly log: TransactionLog
    readonly units: Units
    readonly outbox: Outbox
    readonly listeners: Listeners
    /** Of the jobs in a batch. */
    readonly limit: WorkLimit
    readonly steps: Steps
  }) {
    this.#store = given.store
    this.#transactions = given.transactions
    this.#log = given.log
    this.#units = given.units
    this.#outbox = given.outbox
    this.#listeners = given.listeners
    this.#limit = given.limit
    this.#turns = new AdvanceTurns(given.steps)
  }

  /** Whether any clock is advancing. */
  get isMoving(): boolean {
    return this.#running.size > 0
  }

  /** Whether advances stop and none may start. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /**
   * Starts the advance that the open transaction stores in the clock's row, once it is committed. The clock is held
   * from now on, so later commands of the same transaction wait. If the transaction is rolled back there is no advance,
   * and the waiting commands fail for the same reason.
   * @returns the summary, when the advance has ended or was canceled
   */
  startOnCommit(merchant: MerchantState, clock: Clock): Promise<Summary> {
    const waiting = hold(merchant, clock)
    const done = new Promise<Summary>((resolve) => {
      this.#log.onCommit(() => resolve(this.#run(merchant, clock, waiting)))
      this.#log.onRollback((reason) => {
        merchant.held.delete(clock)
        for (const { reject } of waiting) reject(reason)
      })
    })
    return reportedElsewhere(done)
  }

  /** Returns the number of an advance that a merchant requests, to be stored with it: its place in the order of all. */
  nextNumber(merchant: MerchantState): number {
    return this.#turns.nextNumber(merchant)
  }

  /** Continues an advance that the database holds. @returns as startOnCommit */
  resume(merchant: MerchantState, clock: Clock): Promise<Summary> {
    return reportedElsewhere(this.#run(merchant, clock, hold(merchant, clock)))
  }

  /** Retries the stalled advances of a merchant. Must be called regularly. */
  resumeStalled(merchant: MerchantState): void {
    if (this.#isStopping) return
    for (const clock of inOrder([...merchant.stalled])) void this.resume(merchant, clock)
  }

  /**
   * Ends the advance of a clock, if there is one: a running advance after its current batch, a stalled one at once.
   * @throws when the end of a stalled advance cannot be written; the advance is then not canceled
   */
  cancel(merchant: MerchantState, clock: Clock): void {
    if (clock.target === null) return
    const running = this.#running.get(clock)
    if (running) {
      this.#canceled.add(clock)
      running.interrupted.abort()
    } else if (merchant.stalled.has(clock)) {
      this.#end(merchant, clock)
      merchant.stalled.delete(clock)
    }
  }

  /**
   * Cancels the advances of a merchant, and resolves when those that were running have ended, successfully or not.
   * @throws as `cancel`
   */
  async endAll(merchant: MerchantState): Promise<void> {
    const running = [...merchant.held.keys()].map((clock) => {
      this.cancel(merchant, clock)
      return this.#running.get(clock)?.done
    })
    await Promise.allSettled(running)
  }

  /** Resolves when the advances that run now have ended, successfully or not. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done))
  }

  /** Stops all advances after their current batch; they continue at the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const { interrupted } of this.#running.values()) interrupted.abort()
    await this.idle()
  }

  #run(merchant: MerchantState, clock: Clock, waiting: readonly Waiting[]): Promise<Summary> {
    const control: Control = { interrupted: new AbortController(), queued: this.#turns.join(merchant, clock) }
    // A retry can also be of one that was canceled, whose end could not be written.
    if (this.#isStopping || this.#canceled.has(clock)) control.interrupted.abort()
    merchant.stalled.delete(clock)
    const done = this.#runAndReport(merchant, clock, control).finally(() => {
      control.queued.leave()
      this.#running.delete(clock)
      merchant.held.delete(clock)
      if (clock.target !== null) {
        merchant.stalled.add(clock)
        if (!this.#isStopping) this.#listeners.notify((listener) => listener.stalled?.())
      }
      for (const { requeue, reject } of waiting) {
        // An advance that a shutdown interrupts continues at the next start; no write may come in between.
        if (clock.target === null) requeue()
        else reject(internalError())
      }
    })
    this.#running.set(clock, Object.assign(control, { done }))
    return done
  }

  async #runAndReport(merchant: MerchantState, clock: Clock, control: Control): Promise<Summary> {
    try {
      return await this.#runBatches(merchant, clock, control)
    } catch (error) {
      if (this.#transactions.disk.isNew(error))
        this.#listeners.report(error, `advancing the clock of ${merchant.settings.id}`)
      if (this.#unreadable.isTransient(clock, error)) throw new AdvanceStalled(error)
      this.#endFailed(merchant, clock, error)
      throw error
    }
  }

  async #runBatches(merchant: MerchantState, clock: Clock, control: Control): Promise<Summary> {
    const jobs = new DueJobs(this.#store, clock)
    let summary = progressOf(clock) ?? EMPTY_SUMMARY
    let isWaiting = awaitsWebhooks(clock)
    // A test clock that is deleted during a wait ends the advance.
    const mayContinue = () => clock.target !== null && (!this.#isStopping || this.#canceled.has(clock))
    // Those that the merchant has requested before come first.
    await unlessAborted(control.queued.othersLeft, control.interrupted.signal)
    for (let batches = 1; ; batches += 1) {
      if (isWaiting) await this.#park(merchant, clock, control)
      // Also after the wait, which can end for many clocks at once.
      await this.#turns.nextBatch(merchant, mayContinue)
      if (!mayContinue()) return summary
      const batch = this.#transactions.run([clock], () => {
        const ran = this.#canceled.has(clock)
          ? { isDone: this.#endCanceled(merchant, clock), isWaiting: false, summary }
          : runBatch(jobs, clock, { newUnit: () => this.#units.forStep(merchant, clock), limit: this.#limit })
        if (ran.isDone) this.#reportReady(merchant, clock)
        return ran
      })
      this.#unreadable.recordRead(clock)
      summary = batch.summary
      isWaiting = batch.isWaiting
      if (summary.jobs >= JOBS_ALONE) control.queued.leave()
      if (batch.isDone) {
        this.#canceled.delete(clock)
        return summary
      }
      await checkpointAfter(batches, this.#store, this.#listeners)
    }
  }

  /**
   * Ends an advance after an error; if that cannot be written either, the advance stays stalled. A live clock that was catching up keeps
   * its pace and is suspended, because otherwise it would fail again at once.
   */
  #endFailed(merchant: MerchantState, clock: Clock, failure: unknown): void {
    try {
      if (isCatchUp(clock) && !this.#canceled.has(clock)) {
        this.#transactions.run([clock], () => clock.end({ keepsPace: true }))
        this.suspended.add(clock, failure)
      } else this.#end(merchant, clock)
    } catch (error) {
      this.#listeners.report(error, `ending an advance of ${merchant.settings.id}`)
    }
  }

  /** Ends an advance at its current instant as a canceled one, in a transaction of its own. */
  #end(merchant: MerchantState, clock: Clock): void {
    this.#transactions.run([clock], () => {
      while (!this.#endCanceled(merchant, clock));
      this.#reportReady(merchant, clock)
    })
    this.#canceled.delete(clock)
    this.#unreadable.recordRead(clock)
  }

  /**
   * Ends a canceled advance. A live clock that was catching up goes back, because otherwise it would catch up again at once.
   * What has expired by the instant that it has shown stays so.
   * @returns whether it has ended; otherwise some of that was written, and the rest comes first
   */
  #endCanceled({ settings: { generation } }: MerchantState, clock: Clock): boolean {
    const { instant, now: shown } = clock
    const goesBack = !clock.isTest && shown > instant
    if (goesBack && this.#store.oauthExpiry.expireAt(instant, { generation, shown }) > 0) return false
    clock.end({ keepsPace: false })
    this.#log.onCommit(() => clock.goBack())
    return true
  }

  #reportReady(merchant: MerchantState, clock: Clock): void {
    recordClockEvent(this.#units.forStep(merchant, clock), clock, 'test_helpers.test_clock.ready')
  }

  /**
   * Waits at the current instant until webhooks are answered. Commands are admitted in the meantime, so that a receiver
   * can call back.
   * See docs/contract/clocks.md#await-webhooks.
   */
  async #park(merchant: MerchantState, clock: Clock, { queued, interrupted }: Control): Promise<void> {
    // A receiver can advance another clock, and wait for that.
    queued.leave()
    if (interrupted.signal.aborted) return
    const waiting = merchant.held.get(clock) ?? []
    merchant.parked.set(clock, () => interrupted.abort())
    for (const { requeue } of waiting.splice(0)) requeue()
    try {
      await this.#outbox.answered(merchant, interrupted.signal)
    } finally {
      merchant.parked.delete(clock)
    }
  }
}
