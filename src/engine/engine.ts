import { ApiError, internalError } from '../core/errors.ts'
import type { StoredClock } from '../store/directory.ts'
import type { Store } from '../store/store.ts'
import { apply } from './apply.ts'
import type { Clock, Wall } from './clock.ts'
import { Gate, nextTurn } from './gate.ts'
import { Ids } from './ids.ts'
import {
  checkPresent,
  isUnfinished,
  leftBehindBy,
  type MerchantState,
  merchantOf,
  StateReplaced,
  unlessLeftBehind,
} from './merchant.ts'
import type { Summary } from './scheduler.ts'
import { Timekeeper } from './timekeeper.ts'
import { RefusedAfterAttempt, type RequestContext, Unit } from './unit.ts'

type Command = {
  /** The merchant whose clock it follows; null for what concerns none. */
  readonly merchant: MerchantState | null
  /** @returns the answer, to be given after the commit */
  readonly run: () => () => void
  readonly reject: (error: unknown) => void
}

/** Runs in a transaction of its own what may write for several merchants. */
export type Transact = <T>(run: (unitOf: (merchant: MerchantState) => Unit) => T) => T

/** What the engine tells its listeners. */
export type EngineListener = {
  /** A transaction is committed: there may be new journal entries. */
  readonly committed?: () => void
  /** A live clock was behind the wall clock, and what was due has been run. */
  readonly caughtUp?: (merchant: string, summary: Summary) => void
  /** All that there was has given way to another state, by a restore or a reset: nothing known of it holds. */
  readonly replaced?: () => void
  /** A merchant is gone with all that it had. */
  readonly deleted?: (merchant: MerchantState) => void
  /** Our own mistake, or a disk that refuses to write: something for the log. */
  readonly failed?: (error: unknown, doing: string) => void
}

/**
 * The command queue. Commands that arrive together share one transaction, each in a savepoint of its own, and are
 * answered after the commit. While time moves, the timekeeper's batches come between them.
 */
export class Engine {
  readonly store: Store
  readonly ids: Ids
  readonly wall: Wall
  readonly time: Timekeeper
  /** The dates of all API versions, oldest first. */
  readonly versions: readonly string[]
  readonly merchants = new Map<number, MerchantState>()
  readonly #listeners = new Set<EngineListener>()
  /** Clocks that the transaction under way may have moved. */
  readonly #touched = new Set<Clock>()
  #queue: Command[] = []
  readonly #gate = new Gate<Command>((command) => this.#enqueue(command))

  constructor({
    store,
    seed,
    wall,
    versions,
  }: { store: Store; seed: string; wall: Wall; versions: readonly string[] }) {
    this.versions = versions
    this.store = store
    this.wall = wall
    this.ids = new Ids(store.directory, seed)
    this.time = new Timekeeper(store, {
      transaction: (clock, work) => this.#transaction([clock], work),
      command: (merchant, run) => this.command(merchant, null, run),
      unit: (merchant) => this.#unit(merchant, null),
      caughtUp: (merchant, summary) => this.#tell((listener) => listener.caughtUp?.(merchant, summary)),
      failed: (error, doing) => this.#report(error, doing),
    })
    this.#admitAll()
  }

  listen(listener: EngineListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Runs a command of a merchant. What it writes is committed when the promise resolves; when it throws, nothing of it is
   * written. On a live clock whatever is due comes first; while an advance is under way it waits.
   */
  command<T>(merchant: MerchantState, request: RequestContext | null, run: (unit: Unit) => T): Promise<T> {
    return this.#submit(merchant, () => {
      const unit = this.#unit(merchant, request)
      return this.#attempt(() => run(unit), unit)
    })
  }

  /** Runs a command of the operator that belongs to no merchant's time. It commits or fails like any other. */
  administer<T>(run: () => T): Promise<T> {
    return this.#submit(null, () => this.#attempt(run))
  }

  /**
   * Resolves when nothing that is due on a merchant's live clock is left to do.
   * @throws StateReplaced, MerchantDeleted
   * Source: decisions.md 2.
   */
  async settle(merchant: MerchantState): Promise<void> {
    checkPresent(merchant)
    if (this.time.isOverdue(merchant.clock)) await this.command(merchant, null, () => undefined)
  }

  /** Runs what is due on every live clock: called by a tick each second. */
  async settleAll(): Promise<void> {
    await Promise.all(
      [...this.merchants.values()].map((merchant) => this.settle(merchant).catch(unlessLeftBehind)),
    )
  }

  /** How many objects have been made. */
  counts(): Readonly<Record<string, number>> {
    const made = (prefix: string) => this.store.directory.counted(prefix)
    return { customers: made('cus'), subscriptions: made('sub'), invoices: made('in'), events: made('evt') }
  }

  /**
   * Runs work alone, between transactions: no clock moves, none is behind what it shows, and no command runs. Advances that
   * are under way end first; commands wait meanwhile, but for those of a merchant whose time moves, for which its advance
   * may itself be waiting.
   */
  exclusively<T>(work: () => T): Promise<T> {
    return this.#gate.alone(() => this.#standStillFor(work))
  }

  /**
   * Replaces all that there is, alone. Every merchant is then known anew, and what still holds on to one of before begins
   * again.
   * @param work - changes the database in one transaction, its own or that of `transact`; or throws and changes nothing
   */
  replaceState<T>(work: (transact: Transact) => T): Promise<T> {
    const transact: Transact = (run) =>
      this.#transaction([], () => run((merchant) => this.#unit(merchant, null)))
    return this.exclusively(() => {
      const result = this.#knowingAnew(() => work(transact))
      this.#tell((listener) => listener.replaced?.())
      return result
    })
  }

  /** Deletes a merchant with all that it has. An advance of its clock stops at the next border of a batch. */
  async delete(merchant: MerchantState): Promise<void> {
    do {
      for (const clock of [merchant.clock, ...merchant.testClocks.values()]) this.time.cancel(clock)
      await nextTurn()
    } while (merchant.isAdvancing)
    checkPresent(merchant)
    this.#transaction([], () => this.store.forget(merchant.settings))
    merchant.standing = 'deleted'
    this.merchants.delete(merchant.settings.ordinal)
    this.#tell((listener) => listener.deleted?.(merchant))
  }

  /** Takes up a merchant that the store has got. */
  admit(
    settings: MerchantState['settings'],
    clocks: readonly StoredClock[] = this.store.directory.clocks(),
  ): MerchantState {
    const merchant = merchantOf(settings, clocks, this.wall)
    this.merchants.set(settings.ordinal, merchant)
    return merchant
  }

  /** Lets what runs end: commands are answered, advances stop at a border and go on at the next start. */
  async close(): Promise<void> {
    await this.time.stop()
    while (this.#queue.length > 0 || this.#gate.isClosed) await nextTurn()
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
  }

  #admitAll(): void {
    const clocks = this.store.directory.clocks()
    for (const settings of this.store.directory.merchants()) this.admit(settings, clocks)
  }

  async #standStillFor<T>(work: () => T): Promise<T> {
    for (;;) {
      // Behind whoever has looked at the state in this turn, and is about to act on it.
      await nextTurn()
      const clocks = [...this.merchants.values()].map(({ clock }) => clock)
      this.#transaction(clocks, () => {
        for (const merchant of this.merchants.values()) {
          if (!merchant.isAdvancing) this.time.catchUp(merchant)
          if (!merchant.isAdvancing) merchant.clock.tick()
        }
      })
      if (!this.time.isMoving) break
      await this.time.rest()
    }
    // While a shutdown leaves an advance unfinished, clocks stand where nobody was to see them.
    if ([...this.merchants.values()].some(isUnfinished)) throw internalError()
    return work()
  }

  #unit(merchant: MerchantState, request: RequestContext | null): Unit {
    return new Unit({ store: this.store, ids: this.ids, merchant, request, versions: this.versions })
  }

  #submit<T>(merchant: MerchantState | null, run: () => { value: T } | { error: unknown }): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#enqueue({
        merchant,
        reject,
        run: () => {
          const outcome = run()
          return 'error' in outcome ? () => reject(outcome.error) : () => resolve(outcome.value)
        },
      })
    })
  }

  #enqueue(command: Command): void {
    if (this.#queue.length === 0) setImmediate(() => this.#flush())
    this.#queue.push(command)
  }

  /** One transaction for all commands that have arrived; answers leave after its commit. */
  #flush(): void {
    const commands = this.#queue.filter((command) => !this.#holdsBack(command))
    this.#queue = []
    if (commands.length === 0) return
    const admitted: Command[] = []
    const answers: (() => void)[] = []
    const clocks = commands.flatMap(({ merchant }) => (merchant ? [merchant.clock] : []))
    try {
      this.#transaction(clocks, () => {
        for (const command of commands) {
          if (this.#parks(command)) continue
          admitted.push(command)
          answers.push(command.run())
        }
      })
    } catch (error) {
      this.#report(error, 'committing commands')
      for (const command of admitted) command.reject(error)
      return
    }
    for (const answer of answers) answer()
  }

  /** Holds a command back while work is to run alone, but for one that an advance may be waiting for. */
  #holdsBack(command: Command): boolean {
    if (!this.#gate.isClosed || command.merchant?.isAdvancing) return false
    this.#gate.hold(command)
    return true
  }

  /**
   * Parks a command while its merchant's time is moving; else it runs at the instant that its clock shows. While a shutdown
   * leaves an advance unfinished there is no such instant: the command is sent away.
   * @returns whether the command is not to run now
   */
  #parks(command: Command): boolean {
    const { merchant, reject } = command
    if (!merchant) return false
    const leftBehind = leftBehindBy(merchant)
    if (leftBehind) {
      reject(leftBehind)
      return true
    }
    if (!merchant.isAdvancing) this.time.catchUp(merchant)
    if (merchant.isAdvancing) merchant.waiting.push({ requeue: () => this.#enqueue(command), reject })
    else if (merchant.clock.target !== null) reject(internalError())
    else merchant.clock.tick()
    return merchant.isAdvancing || merchant.clock.target !== null
  }

  #attempt<T>(run: () => T, unit?: Unit): { value: T } | { error: unknown } {
    this.ids.mark()
    try {
      return { value: this.store.savepoint(run) }
    } catch (error) {
      this.ids.rollback()
      if (unit && error instanceof RefusedAfterAttempt) {
        apply(unit, error.remembered)
        error.afterwards()
        return { error: error.error }
      }
      const isOurMistake = !(error instanceof ApiError || error instanceof StateReplaced)
      if (isOurMistake) this.#report(error, 'running a command')
      return { error }
    }
  }

  /** A transaction that takes counters and clocks along: into the database, or back to what that holds. */
  #transaction<T>(clocks: readonly Clock[], work: () => T): T {
    for (const clock of clocks) this.#touched.add(clock)
    try {
      const result = this.store.transaction(() => {
        const value = work()
        this.ids.flush()
        for (const clock of this.#touched) {
          const row = clock.takeDirty()
          if (row) this.store.directory.updateClock(row)
        }
        return value
      })
      this.#touched.clear()
      this.#tell((listener) => listener.committed?.())
      return result
    } catch (error) {
      this.ids.reset()
      const rows = new Map(this.store.directory.clocks().map((row) => [row.seq, row]))
      for (const clock of this.#touched) clock.reset(rows.get(clock.seq))
      this.#touched.clear()
      throw error
    }
  }

  #report(error: unknown, doing: string): void {
    this.#tell((listener) => listener.failed?.(error, doing))
  }

  #tell(tell: (listener: EngineListener) => void): void {
    for (const listener of this.#listeners) tell(listener)
  }
}
