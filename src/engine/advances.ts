import { assert, internalError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import { isOfStorage } from '../store/unusable.ts'
import type { Clock } from './clock.ts'
import { nextTurn } from './gate.ts'
import type { Listeners } from './listeners.ts'
import type { MerchantState, Waiting } from './merchant-state.ts'
import type { Outbox } from './outbox.ts'
import { awaitsWebhooks, NOTHING_DONE, runBatch, type Summary } from './scheduler.ts'
import type { TransactionLog } from './transaction-log.ts'
import type { Transactions } from './transactions.ts'
import type { Units } from './units.ts'

/**
 * After how many batches the log is moved into the database, in a turn of its own: so that nobody waits for a batch and for that
 * too. Few enough for SQLite seldom to begin with it itself, at the end of a commit; more often costs time, for each time writes the
 * pages that all batches change.
 */
const BATCHES_A_CHECKPOINT = 8

/** An advance that cannot be written any further, on a full disk: it stays under way, and goes on by itself when there is room again. */
export class AdvancePutOff extends Error {
  constructor(cause: unknown) {
    super(`the advance is put off: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** Controls a running advance. `wake` ends its waiting for webhooks when it is canceled, or the daemon stops. */
type Control = { wake: () => void }
type Running = Control & { readonly done: Promise<Summary> }

/**
 * The advances that are under way. Each runs in batches of due jobs, a transaction for each batch; the clock's row says how far it has
 * come. While it runs, the writes of those who follow its clock wait.
 * See docs/contract/clocks.md#advancing.
 */
export class Advances {
  readonly #store: Store
  readonly #transactions: Transactions
  readonly #log: TransactionLog
  readonly #units: Units
  readonly #outbox: Outbox
  readonly #listeners: Listeners
  readonly #running = new Map<Clock, Running>()
  /** Clocks whose advance is to end after its current batch. An advance that stalls before that still ends, once it can. */
  readonly #canceled = new WeakSet<Clock>()
  #isStopping = false

  constructor(given: {
    readonly store: Store
    readonly transactions: Transactions
    readonly log: TransactionLog
    readonly units: Units
    readonly outbox: Outbox
    readonly listeners: Listeners
  }) {
    this.#store = given.store
    this.#transactions = given.transactions
    this.#log = given.log
    this.#units = given.units
    this.#outbox = given.outbox
    this.#listeners = given.listeners
  }

  /** Whether any clock moves. */
  get isMoving(): boolean {
    return this.#running.size > 0
  }

  /** Whether advances stop, and none is to be started. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /**
   * Starts the advance that the transaction under way stores in the clock's row, once that is committed. The clock is held from
   * now on, so that later commands of the same transaction wait. If the transaction is rolled back there is no advance, and the
   * commands that waited for it fail for the same reason.
   * @returns what the advance did, when it has ended or was canceled
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

  /** Goes on with an advance that the database holds. @returns as startOnCommit */
  goOn(merchant: MerchantState, clock: Clock): Promise<Summary> {
    return reportedElsewhere(this.#run(merchant, clock, hold(merchant, clock)))
  }

  /** Retries the stalled advances of a merchant: to be called now and then. */
  resumeStalled(merchant: MerchantState): void {
    if (this.#isStopping) return
    for (const clock of merchant.stalled) void this.goOn(merchant, clock)
  }

  /**
   * Ends the advance under way on a clock, if there is one: a running advance after its current batch, a stalled one at once.
   * @throws when the end of a stalled advance cannot be written; the advance is then not canceled
   */
  cancel(merchant: MerchantState, clock: Clock): void {
    if (clock.target === null) return
    const running = this.#running.get(clock)
    if (running) {
      this.#canceled.add(clock)
      running.wake()
    } else if (merchant.stalled.has(clock)) {
      this.#end(clock)
      merchant.stalled.delete(clock)
    }
  }

  /** Resolves when what moves now has ended, well or not. */
  async rest(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done))
  }

  /** Stops what moves at the next border of a batch; it goes on at the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const { wake } of this.#running.values()) wake()
    await this.rest()
  }

  #run(merchant: MerchantState, clock: Clock, waiting: readonly Waiting[]): Promise<Summary> {
    const control: Control = { wake: () => undefined }
    merchant.stalled.delete(clock)
    const done = this.#runOrGiveUp(merchant, clock, control).finally(() => {
      this.#running.delete(clock)
      merchant.held.delete(clock)
      if (clock.target !== null) merchant.stalled.add(clock)
      for (const { requeue, reject } of waiting) {
        // An advance that a shutdown interrupts goes on at the next start: no write may come in its middle.
        if (clock.target === null) requeue()
        else reject(internalError())
      }
    })
    this.#running.set(clock, Object.assign(control, { done }))
    return done
  }

  async #runOrGiveUp(merchant: MerchantState, clock: Clock, control: Control): Promise<Summary> {
    try {
      return await this.#runBatches(merchant, clock, control)
    } catch (error) {
      this.#listeners.report(error, `advancing the clock of ${merchant.settings.id}`)
      if (isOfStorage(error)) throw new AdvancePutOff(error)
      this.#giveUp(merchant, clock)
      throw error
    }
  }

  async #runBatches(merchant: MerchantState, clock: Clock, control: Control): Promise<Summary> {
    let summary = NOTHING_DONE
    let isWaiting = awaitsWebhooks(clock)
    for (let batches = 1; ; batches += 1) {
      // Between batches the requests that arrived meanwhile are read and answered.
      await nextTurn()
      if (isWaiting) await this.#park(merchant, clock, control)
      if (this.#isStopping) return summary
      const batch = this.#transactions.run([clock], () => {
        if (!this.#canceled.has(clock))
          return runBatch(this.#store, clock, () => this.#units.forStep(merchant, clock))
        clock.end({ keepsPace: false })
        return { isDone: true, isWaiting: false, summary }
      })
      summary = batch.summary
      isWaiting = batch.isWaiting
      if (batch.isDone) {
        this.#canceled.delete(clock)
        return summary
      }
      if (batches % BATCHES_A_CHECKPOINT !== 0) continue
      await nextTurn()
      this.#checkpoint()
    }
  }

  /** What the database has no room for stays in the log, where it is committed, and is moved another time. */
  #checkpoint(): void {
    try {
      this.#store.checkpoint()
    } catch (error) {
      if (!isOfStorage(error)) throw error
      this.#listeners.report(error, 'moving the log into the database')
    }
  }

  /** Ends an advance that has failed; where that cannot be written either, it is only put off. */
  #giveUp(merchant: MerchantState, clock: Clock): void {
    try {
      this.#end(clock)
    } catch (error) {
      this.#listeners.report(error, `ending an advance of ${merchant.settings.id}`)
    }
  }

  /** Ends an advance where it stands. */
  #end(clock: Clock): void {
    this.#transactions.run([clock], () => clock.end({ keepsPace: false }))
    this.#canceled.delete(clock)
  }

  /**
   * Waits at the present instant until receivers have answered what they were sent. Meanwhile commands are let in, so that
   * a receiver can call back.
   * See docs/contract/clocks.md#await-webhooks.
   */
  async #park(merchant: MerchantState, clock: Clock, control: Control): Promise<void> {
    if (this.#canceled.has(clock) || this.#isStopping) return
    const waiting = merchant.held.get(clock) ?? []
    merchant.parked.add(clock)
    for (const { requeue } of waiting.splice(0)) requeue()
    try {
      await new Promise<void>((resolve, reject) => {
        control.wake = resolve
        this.#outbox.settled(merchant).then(resolve, reject)
      })
    } finally {
      merchant.parked.delete(clock)
    }
  }
}

/** Keeps the writes back that follow a clock. @returns where they wait */
function hold(merchant: MerchantState, clock: Clock): Waiting[] {
  assert(!merchant.held.has(clock), `only one advance moves ${clock.id}`)
  const waiting: Waiting[] = []
  merchant.held.set(clock, waiting)
  return waiting
}

/** The failure of an advance is reported where it happens, so nobody needs to wait for it. */
function reportedElsewhere<T>(done: Promise<T>): Promise<T> {
  done.catch(() => undefined)
  return done
}
