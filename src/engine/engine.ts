import { ApiError, assert, internalError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import { apply } from './apply.ts'
import { Clock, type Wall } from './clock.ts'
import { Faults } from './faults.ts'
import { Ids } from './ids.ts'
import type { MerchantState } from './merchant.ts'
import type { Summary } from './scheduler.ts'
import { Timekeeper } from './timekeeper.ts'
import { RefusedAfterAttempt, Rehearsed, type RequestContext, Unit } from './unit.ts'

type Command = {
  /** The merchants whose clocks it follows; none for what concerns no merchant's time. */
  readonly merchants: readonly MerchantState[]
  /** @returns the answer, to be given after the commit */
  readonly run: () => () => void
  readonly reject: (error: unknown) => void
}

/** What the engine tells its listeners. */
export type EngineListener = {
  /** A transaction is committed: there may be new journal entries. */
  readonly committed?: () => void
  /** A live clock was behind the wall clock, and what was due has been run. */
  readonly caughtUp?: (merchant: string, summary: Summary) => void
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
  readonly faults: Faults
  readonly wall: Wall
  readonly time: Timekeeper
  /** The dates of all API versions, oldest first. */
  readonly versions: readonly string[]
  readonly merchants = new Map<number, MerchantState>()
  readonly #listeners = new Set<EngineListener>()
  /** Clocks that the transaction under way may have moved. */
  readonly #touched = new Set<Clock>()
  /** Merchants, by their ordinals, that the transaction under way has taken up. */
  readonly #admitted: number[] = []
  #queue: Command[] = []

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
    this.faults = new Faults(this.ids)
    this.time = new Timekeeper(store, {
      transaction: (clock, work) => this.#transaction([clock], work),
      command: (merchant, run) => this.command(merchant, null, run),
      unit: (merchant) => this.#unit(merchant, null),
      caughtUp: (merchant, summary) => this.#tell((listener) => listener.caughtUp?.(merchant, summary)),
      failed: (error, doing) => this.#report(error, doing),
    })
    for (const settings of store.directory.merchants()) this.admit(settings)
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
    return this.#submit([merchant], () => {
      const unit = this.#unit(merchant, request)
      return this.#attempt(() => run(unit), unit)
    })
  }

  /** Runs a command of the operator that belongs to no merchant's time. It commits or fails like any other. */
  administer<T>(run: () => T): Promise<T> {
    return this.#submit([], () => this.#attempt(run))
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
    return this.#submit(merchants, () => this.#attempt(() => run((merchant) => this.#unit(merchant, null))))
  }

  /** Resolves when nothing that is due on a merchant's live clock is left to do. Source: decisions.md 2. */
  async settle(merchant: MerchantState): Promise<void> {
    if (this.time.isOverdue(merchant.clock)) await this.command(merchant, null, () => undefined)
  }

  /** Runs what is due on every live clock: called by a tick each second. */
  async settleAll(): Promise<void> {
    await Promise.all([...this.merchants.values()].map((merchant) => this.settle(merchant)))
  }

  /** How many objects have been made. */
  counts(): Readonly<Record<string, number>> {
    const made = (prefix: string) => this.store.directory.counted(prefix)
    return { customers: made('cus'), subscriptions: made('sub'), invoices: made('in'), events: made('evt') }
  }

  /** Takes up a merchant that the store has got; one that the command under way has put there goes again when it fails. */
  admit(settings: MerchantState['settings']): MerchantState {
    const rows = this.store.directory.clocks().filter(({ merchant }) => merchant === settings.ordinal)
    const [main, ...others] = rows.map((row) => new Clock(row, this.wall))
    assert(main, `${settings.id} has a clock`)
    const merchant: MerchantState = {
      settings,
      clock: main,
      testClocks: new Map(others.map((clock) => [clock.id, clock])),
      isAdvancing: false,
      waiting: [],
    }
    this.merchants.set(settings.ordinal, merchant)
    this.#admitted.push(settings.ordinal)
    return merchant
  }

  /** Lets what runs end: commands are answered, advances stop at a border and go on at the next start. */
  async close(): Promise<void> {
    await this.time.stop()
    while (this.#queue.length > 0) await new Promise((resolve) => setImmediate(resolve))
    this.store.close()
  }

  #unit(merchant: MerchantState, request: RequestContext | null): Unit {
    const { store, ids, faults, versions } = this
    return new Unit({ store, ids, faults, merchant, request, versions })
  }

  #submit<T>(merchants: readonly MerchantState[], run: () => { value: T } | { error: unknown }): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#enqueue({
        merchants,
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
    const commands = this.#queue
    this.#queue = []
    const admitted: Command[] = []
    const answers: (() => void)[] = []
    const clocks = commands.flatMap(({ merchants }) => merchants.map(({ clock }) => clock))
    try {
      this.#transaction(clocks, () => {
        for (const command of commands) {
          if (command.merchants.some((merchant) => this.#parks(command, merchant))) continue
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

  /**
   * Parks a command while a merchant's time is moving; else it runs at the instant that its clock shows. While a shutdown
   * leaves an advance unfinished there is no such instant: the command is sent away.
   * @returns whether the command is not to run now
   */
  #parks(command: Command, merchant: MerchantState): boolean {
    if (!merchant.isAdvancing) this.time.catchUp(merchant)
    if (merchant.isAdvancing)
      merchant.waiting.push({ requeue: () => this.#enqueue(command), reject: command.reject })
    else if (merchant.clock.target !== null) command.reject(internalError())
    else merchant.clock.tick()
    return merchant.isAdvancing || merchant.clock.target !== null
  }

  #attempt<T>(run: () => T, unit?: Unit): { value: T } | { error: unknown } {
    this.ids.mark()
    const known = this.#admitted.length
    try {
      return { value: this.store.savepoint(run) }
    } catch (error) {
      this.ids.rollback()
      this.#dismiss(known)
      if (error instanceof Rehearsed) return { value: error.value }
      if (unit && error instanceof RefusedAfterAttempt) {
        apply(unit, error.remembered)
        error.afterwards()
        return { error: error.error }
      }
      if (!(error instanceof ApiError)) this.#report(error, 'running a command')
      return { error }
    }
  }

  /** Forgets the merchants that were taken up after the first `known` of this transaction. */
  #dismiss(known: number): void {
    for (const ordinal of this.#admitted.splice(known)) this.merchants.delete(ordinal)
  }

  /** A transaction that takes counters, clocks and merchants along: into the database, or back to what that holds. */
  #transaction<T>(clocks: readonly Clock[], work: () => T): T {
    this.#admitted.length = 0
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
      this.#dismiss(0)
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
