import { ApiError, assert, internalError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import { apply } from './apply.ts'
import { Clock, type Wall } from './clock.ts'
import { Faults } from './faults.ts'
import { Ids } from './ids.ts'
import type { MerchantState } from './merchant.ts'
import { Outbox } from './outbox.ts'
import type { Summary } from './scheduler.ts'
import { TestClocks } from './test-clocks.ts'
import { Timekeeper } from './timekeeper.ts'
import { ClockHeld, RefusedAfterAttempt, Rehearsed, type RequestContext, Unit } from './unit.ts'

type Command = {
  /** The merchants whose clocks it follows; none for what concerns no merchant's time. */
  readonly merchants: readonly MerchantState[]
  /** @returns the answer, to be given after the commit; undefined when it waits for a clock and is to run again */
  readonly run: () => (() => void) | undefined
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

/** Who hands events over to webhook endpoints. */
export type Deliveries = {
  /** Resolves when nothing of a merchant is on its way. */
  readonly settled: (merchant: MerchantState) => Promise<void>
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
  /** Who sends webhooks, once there is somebody. */
  deliveries: Deliveries | null = null
  readonly #listeners = new Set<EngineListener>()
  /** Clocks that the transaction under way may have moved. */
  readonly #touched = new Set<Clock>()
  /** How to put back what the transaction under way has changed in memory; the database does so itself. */
  readonly #undo: (() => void)[] = []
  /** The webhook endpoints to which something is to go out, each with its merchant. */
  #announced = new Map<string, MerchantState>()
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
      unit: (merchant, moving) => this.#unit(merchant, { request: null, moving }),
      caughtUp: (merchant, summary) => this.#tell((listener) => listener.caughtUp?.(merchant, summary)),
      delivered: (merchant) => this.deliveries?.settled(merchant) ?? Promise.resolve(),
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
      const unit = this.#unit(merchant, { request, moving: null })
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
    return this.#submit(merchants, () =>
      this.#attempt(() => run((merchant) => this.#unit(merchant, { request: null, moving: null }))),
    )
  }

  /**
   * Runs what belongs to no instant of a merchant's time, such as the record of a delivery: it does not wait for an
   * advance.
   */
  record<T>(merchant: MerchantState, run: (unit: Unit) => T): Promise<T> {
    return this.#submit([], () => {
      const unit = this.#unit(merchant, { request: null, moving: merchant.clock })
      return this.#attempt(() => run(unit), unit)
    })
  }

  /** The webhook endpoints to which something is to go out, since this was last asked. */
  takeAnnounced(): ReadonlyMap<string, MerchantState> {
    const announced = this.#announced
    if (announced.size > 0) this.#announced = new Map()
    return announced
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
    const main = this.store.clocks.main(settings.ordinal)
    assert(main, `${settings.id} has a clock`)
    const merchant: MerchantState = {
      settings,
      clock: new Clock(main, this.wall),
      testClocks: new TestClocks(this.store.clocks, settings.ordinal, this.wall),
      held: new Map(),
      parked: new Set(),
      outbox: new Outbox(this.store, settings.ordinal),
    }
    this.merchants.set(settings.ordinal, merchant)
    this.#undo.push(() => this.merchants.delete(settings.ordinal))
    return merchant
  }

  /** Lets what runs end: commands are answered, advances stop at a border and go on at the next start. */
  async close(): Promise<void> {
    await this.time.stop()
    while (this.#queue.length > 0) await new Promise((resolve) => setImmediate(resolve))
    this.store.close()
  }

  #unit(merchant: MerchantState, given: { request: RequestContext | null; moving: Clock | null }): Unit {
    const { store, ids, faults, versions } = this
    const host = {
      touch: (clock: Clock) => this.#touched.add(clock),
      whenTakenBack: (undo: () => void) => this.#undo.push(undo),
      announce: (endpoint: string) => this.#announced.set(endpoint, merchant),
    }
    return new Unit({ store, ids, faults, merchant, versions, host, ...given })
  }

  #submit<T>(merchants: readonly MerchantState[], run: () => { value: T } | { error: unknown }): Promise<T> {
    return new Promise((resolve, reject) => {
      const command: Command = {
        merchants,
        reject,
        run: () => {
          const outcome = run()
          if ('value' in outcome) return () => resolve(outcome.value)
          if (!(outcome.error instanceof ClockHeld)) return () => reject(outcome.error)
          return this.#park(command, outcome.error.clock) ? undefined : () => reject(internalError())
        },
      }
      this.#enqueue(command)
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
          const answer = command.run()
          if (!answer) continue
          admitted.push(command)
          answers.push(answer)
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
    const { clock, held } = merchant
    if (!held.has(clock)) this.time.catchUp(merchant)
    const isParked = merchant.parked.has(clock)
    if (!isParked && this.#park(command, clock)) return true
    if (!isParked && clock.target !== null) {
      command.reject(internalError())
      return true
    }
    clock.tick()
    return false
  }

  /** Lets a command wait for the advance that holds a clock. @returns whether there is one */
  #park(command: Command, clock: Clock): boolean {
    const owner = command.merchants.find(({ held }) => held.has(clock))
    const waiting = owner?.held.get(clock)
    waiting?.push({ requeue: () => this.#enqueue(command), reject: command.reject })
    return waiting !== undefined
  }

  #attempt<T>(run: () => T, unit?: Unit): { value: T } | { error: unknown } {
    this.ids.mark()
    const known = this.#undo.length
    unit?.touch(unit.merchant.clock)
    try {
      return { value: this.store.savepoint(run) }
    } catch (error) {
      this.ids.rollback()
      this.#takeBack(known)
      if (error instanceof Rehearsed) return { value: error.value }
      if (unit && error instanceof RefusedAfterAttempt) {
        apply(unit, error.remembered)
        error.afterwards()
        return { error: error.error }
      }
      if (!(error instanceof ApiError || error instanceof ClockHeld)) this.#report(error, 'running a command')
      return { error }
    }
  }

  /** Puts back what this transaction has changed in memory after the first `known` changes, the last one first. */
  #takeBack(known: number): void {
    for (const undo of this.#undo.splice(known).reverse()) undo()
  }

  /** A transaction that takes counters, clocks and merchants along: into the database, or back to what that holds. */
  #transaction<T>(clocks: readonly Clock[], work: () => T): T {
    this.#undo.length = 0
    for (const clock of clocks) this.#touched.add(clock)
    try {
      const result = this.store.transaction(() => {
        const value = work()
        this.ids.flush()
        for (const clock of this.#touched) {
          const row = clock.takeDirty()
          if (row) this.store.clocks.update(row)
        }
        return value
      })
      this.#touched.clear()
      this.#tell((listener) => listener.committed?.())
      return result
    } catch (error) {
      this.#takeBack(0)
      this.ids.reset()
      for (const clock of this.#touched) clock.reset(this.store.clocks.at(clock.seq))
      for (const { outbox } of this.merchants.values()) outbox.forget()
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
