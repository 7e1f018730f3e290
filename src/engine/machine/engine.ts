import { internalError } from '../../core/errors.ts'
import type { Store } from '../../store/store.ts'
import { isOfStorage } from '../../store/unusable.ts'
import { Advances } from './advances.ts'
import { nextStep } from './arrivals.ts'
import { monotonicWallClock, type Stopwatch, type Wall } from './clock.ts'
import { type CommandOptions, CommandQueue, type Sender } from './command-queue.ts'
import { Expiries } from './expiries.ts'
import { Faults } from './faults.ts'
import { nextTurn } from './gate.ts'
import { Ids } from './ids.ts'
import { LimitedTurns } from './limited-turns.ts'
import { type EngineListener, Listeners } from './listeners.ts'
import { LongReads } from './long-reads.ts'
import { checkCurrent, isUnfinished, type MerchantState, merchantOf } from './merchant-state.ts'
import { onceIdle } from './once-idle.ts'
import { Outbox } from './outbox.ts'
import { deleteStoredMerchant, stateMark } from './state-mark.ts'
import { Steps } from './steps.ts'
import { Timekeeper } from './timekeeper.ts'
import { TransactionLog } from './transaction-log.ts'
import { Transactions } from './transactions.ts'
import type { RequestContext, UnitOfWork } from './unit.ts'
import { Units } from './units.ts'
import type { WorkLimits } from './work-limits.ts'

/** Runs work in a transaction of its own that may write for several merchants. */
export type Transact = <T>(run: (unitOf: (merchant: MerchantState) => UnitOfWork) => T) => T

/**
 * Runs everything that changes state: commands from their queue, and between them the timekeeper's batches, each in a
 * transaction.
 */
export class Engine {
  readonly store: Store
  readonly ids: Ids
  readonly faults: Faults
  readonly wall: Wall
  /** Real time for everything that expires. */
  readonly steady: Wall
  readonly time: Timekeeper
  /** The turns in which requests read, so that many do not hold up everything else. */
  readonly reads: LimitedTurns<object>
  /** The steps of merchants, so that long ones of one do not hold up the others. */
  readonly steps: Steps
  /** The reads that take several turns. */
  readonly longReads: LongReads<object>
  /** The dates of all API versions, oldest first. */
  readonly versions: readonly string[]
  readonly #url: () => string
  readonly merchants = new Map<number, MerchantState>()
  readonly outbox = new Outbox()
  readonly expiries = new Expiries()
  readonly #listeners = new Listeners()
  readonly #log = new TransactionLog()
  readonly #transactions: Transactions
  readonly #units: Units
  readonly #queue: CommandQueue

  /** @param given.url - returns the address of the daemon */
  constructor(given: {
    store: Store
    seed: string
    wall: Wall
    stopwatch: Stopwatch
    versions: readonly string[]
    url: () => string
    limits: WorkLimits
  }) {
    const { store, seed, wall, versions, limits } = given
    this.versions = versions
    this.#url = given.url
    this.store = store
    this.wall = wall
    this.steady = monotonicWallClock({ wall, elapsed: given.stopwatch })
    this.ids = new Ids(store.directory, seed)
    this.faults = new Faults(this.ids)
    this.steps = new Steps(limits.longMs)
    this.reads = new LimitedTurns(limits.reads, this.steps)
    this.longReads = new LongReads(this.reads)
    // Each part uses only the parts above it.
    const { outbox, ids, faults, steps } = this
    const [listeners, log] = [this.#listeners, this.#log]
    const transactions = new Transactions({ store, ids, log, listeners })
    const units = new Units({ store, ids, faults, versions, log, outbox })
    const shared = { transactions, listeners, steps }
    const advances = new Advances({ ...shared, store, log, units, outbox, limit: limits.jobs })
    this.time = new Timekeeper({ store, transactions, advances, listeners })
    this.#queue = new CommandQueue({ ...shared, time: this.time, limit: limits.commands })
    this.#transactions = transactions
    this.#units = units
    this.#loadMerchants()
  }

  /** The address of the pages that people open, for links to them. */
  get url(): string {
    return this.#url()
  }

  listen(listener: EngineListener): () => void {
    return this.#listeners.add(listener)
  }

  /**
   * Runs a command of a merchant. Its writes are committed when the promise resolves; if it throws, nothing is written.
   * On a live clock due jobs run first. While the clock is advancing the command waits.
   */
  command<T>(
    merchant: MerchantState,
    request: RequestContext | null,
    run: (unit: UnitOfWork) => T,
    options: CommandOptions = {},
  ): Promise<T> {
    const runUnit = () => {
      const unit = this.#units.forCommand(merchant, request)
      return this.#transactions.inSavepoint(() => run(unit), unit)
    }
    return this.#queue.submit([merchant], runUnit, options)
  }

  /** Runs a command of the operator that does not depend on a merchant's time. It commits or fails like any other. */
  operatorCommand<T>(run: () => T, options: CommandOptions = {}): Promise<T> {
    return this.#queue.submit([], () => this.#transactions.inSavepoint(run), options)
  }

  /**
   * Runs one command of several merchants, which may create further ones; its writes are committed together or not at
   * all. It waits while the clock of one of the given merchants is advancing.
   * @param run - gets a function that returns the unit of a merchant, given or created by the command
   */
  commandAll<T>(
    merchants: readonly MerchantState[],
    run: (unitOf: (merchant: MerchantState) => UnitOfWork) => T,
    options: CommandOptions = {},
  ): Promise<T> {
    const runUnits = () =>
      this.#transactions.inSavepoint(() => run((merchant) => this.#units.forCommand(merchant)))
    return this.#queue.submit(merchants, runUnits, options)
  }

  /**
   * Runs work that does not depend on a merchant's time, such as the record of a delivery, without waiting for an
   * advance. It does nothing for a merchant that was replaced by a restore, or deleted.
   */
  record<T>(merchant: MerchantState, work: (unit: UnitOfWork) => T): Promise<T | undefined> {
    const run = () => {
      if (merchant.presence !== 'present') return { value: undefined }
      const unit = this.#units.forStep(merchant, merchant.clock)
      return this.#transactions.inSavepoint(() => work(unit), unit)
    }
    return this.#queue.submit([], run, { turnOf: merchant })
  }

  /**
   * Resolves when the due jobs of a merchant's live clock have run. On a full disk it resolves although they cannot be
   * written, which is reported: reads are still served. So they are while the daemon stops.
   * @throws StateReplaced, MerchantDeleted
   * See docs/contract/clocks.md#live-clocks.
   */
  runDueJobs(merchant: MerchantState): Promise<void> | undefined {
    checkCurrent(merchant)
    if (this.time.isStopping || !this.time.isOverdue(merchant.clock)) return undefined
    return this.#catchUp(merchant)
  }

  async #catchUp(merchant: MerchantState): Promise<void> {
    try {
      await this.command(merchant, null, () => undefined)
    } catch (error) {
      // A stop rejects commands that wait for the jobs.
      const isInterrupted = this.time.isStopping && merchant.presence === 'present'
      if (!isInterrupted && !isOfStorage(error)) throw error
    }
  }

  /**
   * Begins to run the due jobs of every live clock, and resumes advances that the disk has stalled. Failures are reported.
   * @returns when the clocks that were behind have caught up, or failed to
   */
  runAllDueJobs(): Promise<void> {
    this.steady() // detects that the wall clock was set back
    return this.time.runDue(this.merchants.values())
  }

  /** Returns when the next job of any live clock is due: Unix milliseconds of the wall clock, Infinity without any. */
  nextDue(): number {
    return this.time.nextDue([...this.merchants.values()].map(({ clock }) => clock))
  }

  /**
   * Runs work alone, between transactions: no clock is advancing or behind, and no command runs. Advances in progress
   * end first. Until then commands run as usual, revocations too. Once the advances that were in progress at the call
   * have ended, no further advance begins before the work, but those that earlier work has held back.
   */
  runExclusively<T>(work: () => T, sender: Sender = {}): Promise<T> {
    return this.#queue.alone(() => this.#whileIdle(work, sender))
  }

  /**
   * Replaces the whole state, alone. Every merchant is then loaded again, and requests that hold an old merchant start
   * over. If the work fails, everything stays as it was.
   * @param work - changes the database in one transaction, its own or that of `transact`, and marks the new state
   */
  replaceState<T>(work: (transact: Transact) => T, sender: Sender = {}): Promise<T> {
    const transact: Transact = (run) =>
      this.#transactions.run([], () => run((merchant) => this.#units.forCommand(merchant)))
    return this.runExclusively(() => this.#reloadAround(() => work(transact)), sender)
  }

  /** Deletes a merchant and all its data. Advances of its clocks stop after the current batch, and its commands wait. */
  deleteMerchant(merchant: MerchantState, { checkCredentials }: Sender = {}): Promise<void> {
    return onceIdle(this.time, merchant, () => {
      checkCurrent(merchant)
      checkCredentials?.()
      const movePlace = this.#transactions.run([], () => deleteStoredMerchant(this.store, merchant.settings))
      merchant.presence = 'deleted'
      this.merchants.delete(merchant.settings.ordinal)
      this.#listeners.notify((listener) => listener.deleted?.(merchant, movePlace))
    })
  }

  /** Loads a merchant that was written to the store, and drops it again if the command is rolled back. */
  loadMerchant(settings: MerchantState['settings']): MerchantState {
    const merchant = merchantOf(settings, { store: this.store, wall: this.wall, log: this.#log })
    this.merchants.set(settings.ordinal, merchant)
    this.#log.touch(merchant.clock)
    this.#log.onRollback(() => this.merchants.delete(settings.ordinal))
    return merchant
  }

  /** Closes the engine: commands are answered, advances stop after their batch and continue at the next start. */
  async close(): Promise<void> {
    await this.time.stop()
    await this.#queue.close()
    while (!this.reads.isEmpty) await nextTurn()
    this.store.close()
  }

  /**
   * Runs work that replaces the state, and reloads all merchants. The work does not see the former merchants, so they
   * are still valid if its transaction is rolled back. An error after the commit is no reason to keep them.
   */
  #reloadAround<T>(work: () => T): T {
    const former = {
      mark: stateMark(this.store)?.id,
      merchants: new Map(this.merchants),
      outbox: this.outbox.take(),
    }
    this.merchants.clear()
    let isReplaced = true
    try {
      return work()
    } catch (error) {
      isReplaced = stateMark(this.store)?.id !== former.mark
      throw error
    } finally {
      const made = [...this.merchants.values()]
      this.merchants.clear()
      this.outbox.clear()
      this.ids.reset()
      if (isReplaced) this.#reload([...former.merchants.values(), ...made])
      else {
        for (const [ordinal, merchant] of former.merchants) this.merchants.set(ordinal, merchant)
        for (const [endpoint, merchant] of former.outbox) this.outbox.add(endpoint, merchant)
      }
    }
  }

  #reload(former: MerchantState[]): void {
    for (const merchant of former) merchant.presence = 'replaced'
    this.time.forget()
    this.#loadMerchants()
    this.#listeners.notify((listener) => listener.replaced?.())
  }

  #loadMerchants(): void {
    for (const settings of this.store.directory.merchants()) this.loadMerchant(settings)
  }

  async #whileIdle<T>(work: () => T, { checkCredentials }: Sender): Promise<T> {
    for (;;) {
      // Requests that have read the state in this turn act on it first.
      await nextStep()
      const clocks = [...this.merchants.values()].map(({ clock }) => clock)
      this.#transactions.run(clocks, () => {
        for (const merchant of this.merchants.values()) {
          if (!merchant.held.has(merchant.clock)) this.time.catchUp(merchant)
          if (!merchant.held.has(merchant.clock)) merchant.clock.tick()
        }
      })
      if (!this.time.isMoving) break
      await this.time.idle()
    }
    // While a shutdown leaves an advance unfinished, clocks stand at instants that must not be visible.
    if ([...this.merchants.values()].some(isUnfinished)) throw internalError()
    checkCredentials?.()
    return work()
  }
}
