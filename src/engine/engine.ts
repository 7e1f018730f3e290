import { internalError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import { isOfStorage } from '../store/unusable.ts'
import { Advances } from './advances.ts'
import { steadyTime, type Wall } from './clock.ts'
import { type CommandOptions, CommandQueue } from './command-queue.ts'
import { Faults } from './faults.ts'
import { nextTurn } from './gate.ts'
import { Ids } from './ids.ts'
import { type EngineListener, Listeners } from './listeners.ts'
import { checkPresent, isUnfinished, type MerchantState, merchantOf } from './merchant-state.ts'
import { Outbox } from './outbox.ts'
import { Timekeeper } from './timekeeper.ts'
import { TransactionLog } from './transaction-log.ts'
import { Transactions } from './transactions.ts'
import type { RequestContext, Unit } from './unit.ts'
import { Units } from './units.ts'

/** Runs in a transaction of its own what may write for several merchants. */
export type Transact = <T>(run: (unitOf: (merchant: MerchantState) => Unit) => T) => T

/**
 * Where all that changes comes together: commands from their queue, and between them the timekeeper's batches, each in a
 * transaction.
 */
export class Engine {
  readonly store: Store
  readonly ids: Ids
  readonly faults: Faults
  readonly wall: Wall
  /** Real time for whatever lapses. */
  readonly steady: Wall
  readonly time: Timekeeper
  /** The dates of all API versions, oldest first. */
  readonly versions: readonly string[]
  readonly merchants = new Map<number, MerchantState>()
  readonly outbox = new Outbox()
  readonly #listeners = new Listeners()
  readonly #log = new TransactionLog()
  readonly #transactions: Transactions
  readonly #units: Units
  readonly #queue: CommandQueue

  constructor(given: { store: Store; seed: string; wall: Wall; versions: readonly string[] }) {
    const { store, seed, wall, versions } = given
    this.versions = versions
    this.store = store
    this.wall = wall
    this.steady = steadyTime(wall)
    this.ids = new Ids(store.directory, seed)
    this.faults = new Faults(this.ids)
    // Each part knows only those above it: a request goes from the queue down to the transaction.
    const { merchants, outbox, ids, faults } = this
    const [listeners, log] = [this.#listeners, this.#log]
    const transactions = new Transactions({ store, ids, log, merchants, listeners })
    const units = new Units({ store, ids, faults, versions, log, outbox })
    const advances = new Advances({ store, transactions, log, units, outbox, listeners })
    this.time = new Timekeeper({ store, transactions, advances, listeners })
    this.#queue = new CommandQueue({ transactions, time: this.time, listeners })
    this.#transactions = transactions
    this.#units = units
    this.#admitAll()
  }

  listen(listener: EngineListener): () => void {
    return this.#listeners.add(listener)
  }

  /**
   * Runs a command of a merchant. What it writes is committed when the promise resolves; when it throws, nothing of it is
   * written. On a live clock whatever is due comes first; while an advance is under way it waits.
   */
  command<T>(
    merchant: MerchantState,
    request: RequestContext | null,
    run: (unit: Unit) => T,
    options: CommandOptions = {},
  ): Promise<T> {
    const runUnit = () => {
      const unit = this.#units.forCommand(merchant, request)
      return this.#transactions.attempt(() => run(unit), unit)
    }
    return this.#queue.submit([merchant], runUnit, options)
  }

  /** Runs a command of the operator that belongs to no merchant's time. It commits or fails like any other. */
  administer<T>(run: () => T): Promise<T> {
    return this.#queue.submit([], () => this.#transactions.attempt(run))
  }

  /**
   * Runs one command of several merchants, which may make further ones: all that it writes is committed together, or
   * nothing of it. While time moves for one of those that are named, it waits.
   * @param run - is given the way to a merchant's unit, a named one's or one that it has made itself
   */
  commandAll<T>(
    merchants: readonly MerchantState[],
    run: (unitOf: (merchant: MerchantState) => Unit) => T,
  ): Promise<T> {
    return this.#queue.submit(merchants, () =>
      this.#transactions.attempt(() => run((merchant) => this.#units.forCommand(merchant))),
    )
  }

  /**
   * Runs what belongs to no instant of a merchant's time, such as the record of a delivery: it does not wait for an
   * advance. Nothing is recorded of a merchant that was left behind by a restore, or deleted.
   */
  record<T>(merchant: MerchantState, work: (unit: Unit) => T): Promise<T | undefined> {
    const run = () => {
      if (merchant.standing !== 'present') return { value: undefined }
      const unit = this.#units.forStep(merchant, merchant.clock)
      return this.#transactions.attempt(() => work(unit), unit)
    }
    return this.#queue.submit([], run)
  }

  /**
   * Resolves when nothing that is due on a merchant's live clock is left to do; or when it cannot be written, on a full disk, which is
   * reported: reads are served all the same.
   * @throws StateReplaced, MerchantDeleted
   * See docs/contract/clocks.md#live-clocks.
   */
  settle(merchant: MerchantState): Promise<void> | undefined {
    checkPresent(merchant)
    return this.time.isOverdue(merchant.clock) ? this.#catchUp(merchant) : undefined
  }

  async #catchUp(merchant: MerchantState): Promise<void> {
    try {
      await this.command(merchant, null, () => undefined)
    } catch (error) {
      if (!isOfStorage(error)) throw error
    }
  }

  /**
   * Begins at once to run what is due on every live clock, and goes on with what a full disk has stopped. Failures are reported.
   * @returns when the clocks that were behind have caught up, or failed to
   */
  async settleAll(): Promise<void> {
    this.steady() // notices when the wall clock was set back
    await Promise.all(this.time.runDue(this.merchants.values()))
  }

  /** When the next job of any live clock is due: Unix milliseconds of the wall clock, Infinity if none is. */
  nextDue(): number {
    return this.time.nextDue([...this.merchants.values()].map(({ clock }) => clock))
  }

  /**
   * Resolves when answers that are ready in this turn of the event loop are to leave: together, as those of commands do. Each that
   * left alone would wake its client alone, which would ask alone, and the daemon would go to sleep and wake for every single one.
   */
  async together(): Promise<void> {
    // While time moves, a batch may come first.
    if (!this.time.isMoving) await nextTurn()
  }

  /** How many objects have been made. */
  counts(): Readonly<Record<string, number>> {
    const made = (prefix: string) => this.store.directory.counterSum(prefix)
    return { customers: made('cus'), subscriptions: made('sub'), invoices: made('in'), events: made('evt') }
  }

  /**
   * Runs work alone, between transactions: no clock moves, none is behind what it shows, and no command runs. Advances that
   * are under way end first. As long as one is, commands run as ever, revocations too; but once those that were under way
   * at the call have ended, no further advance begins before the work.
   */
  exclusively<T>(work: () => T): Promise<T> {
    return this.#queue.alone(() => this.#standStillFor(work))
  }

  /**
   * Replaces all that there is, alone. Every merchant is then known anew, and what still holds on to one of before begins
   * again.
   * @param work - changes the database in one transaction, its own or that of `transact`; or throws and changes nothing
   */
  replaceState<T>(work: (transact: Transact) => T): Promise<T> {
    const transact: Transact = (run) =>
      this.#transactions.run([], () => run((merchant) => this.#units.forCommand(merchant)))
    return this.exclusively(() => {
      const result = this.#knowingAnew(() => work(transact))
      this.#listeners.tell((listener) => listener.replaced?.())
      return result
    })
  }

  /** Deletes a merchant with all that it has. An advance of its clock stops at the next border of a batch. */
  async delete(merchant: MerchantState): Promise<void> {
    do {
      for (const clock of merchant.held.keys()) this.time.cancel(merchant, clock)
      await nextTurn()
    } while (merchant.held.size > 0)
    checkPresent(merchant)
    this.#transactions.run([], () => this.store.forget(merchant.settings))
    merchant.standing = 'deleted'
    this.merchants.delete(merchant.settings.ordinal)
    this.#listeners.tell((listener) => listener.deleted?.(merchant))
  }

  /** Takes up a merchant that the store has got; one that the command under way has put there goes again when it fails. */
  admit(settings: MerchantState['settings']): MerchantState {
    const merchant = merchantOf(settings, this.store, this.wall)
    this.merchants.set(settings.ordinal, merchant)
    this.#log.touch(merchant.clock)
    this.#log.onRollback(() => this.merchants.delete(settings.ordinal))
    return merchant
  }

  /** Lets what runs end: commands are answered, advances stop at a border and go on at the next start. */
  async close(): Promise<void> {
    await this.time.stop()
    await this.#queue.close()
    this.store.close()
  }

  /** Runs work and takes up what the database holds then. When it fails, memory may still be marked by what was rolled back. */
  #knowingAnew<T>(work: () => T): T {
    this.#leaveBehind()
    try {
      return work()
    } finally {
      this.#leaveBehind()
      this.ids.reset()
      this.time.forget()
      this.#admitAll()
    }
  }

  #leaveBehind(): void {
    for (const merchant of this.merchants.values()) merchant.standing = 'replaced'
    this.merchants.clear()
    this.outbox.clear()
  }

  #admitAll(): void {
    for (const settings of this.store.directory.merchants()) this.admit(settings)
  }

  async #standStillFor<T>(work: () => T): Promise<T> {
    for (;;) {
      // Behind whoever has looked at the state in this turn, and is about to act on it.
      await nextTurn()
      const clocks = [...this.merchants.values()].map(({ clock }) => clock)
      this.#transactions.run(clocks, () => {
        for (const merchant of this.merchants.values()) {
          if (!merchant.held.has(merchant.clock)) this.time.catchUp(merchant)
          if (!merchant.held.has(merchant.clock)) merchant.clock.tick()
        }
      })
      if (!this.time.isMoving) break
      await this.time.rest()
    }
    // While a shutdown leaves an advance unfinished, clocks stand where nobody was to see them.
    if ([...this.merchants.values()].some(isUnfinished)) throw internalError()
    return work()
  }
}
