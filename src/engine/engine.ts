import { formatInstant } from '../core/calendar.ts'
import { ApiError, assert, parameterInvalid } from '../core/errors.ts'
import type { EventType } from '../core/event.ts'
import type { Store } from '../store/store.ts'
import { apply } from './apply.ts'
import { Clock, type Wall } from './clock.ts'
import { Ids } from './ids.ts'
import type { MerchantState } from './merchant.ts'
import { NOTHING_DONE, runBatch, type Summary, storedAdvance } from './scheduler.ts'
import { RefusedAfterAttempt, type RequestContext, Unit } from './unit.ts'

type Command = {
  /** The merchant whose clock it follows; null for what concerns none. */
  readonly merchant: MerchantState | null
  /** @returns the answer, to be given after the commit */
  readonly run: () => () => void
  readonly reject: (error: unknown) => void
}

type Running = { readonly clock: Clock; readonly done: Promise<Summary>; isCanceled: boolean }

/** What the engine tells its listeners. */
export type EngineListener = {
  /** A transaction is committed: there may be new journal entries. */
  readonly committed?: () => void
  /** Our own mistake, or a disk that refuses to write: something for the log. */
  readonly failed?: (error: unknown, doing: string) => void
}

/**
 * The command queue. Commands that arrive together share one transaction, each in a savepoint of its own, and are
 * answered after the commit; an advance of time runs in batches between them and holds back the writes of its merchant.
 */
export class Engine {
  readonly store: Store
  readonly ids: Ids
  readonly wall: Wall
  readonly merchants = new Map<number, MerchantState>()
  readonly #listeners = new Set<EngineListener>()
  readonly #running = new Map<Clock, Running>()
  #queue: Command[] = []
  /** Clocks that the transaction under way may have moved. */
  readonly #touched = new Set<Clock>()
  /** Clocks with a due job that failed: they are not caught up again by themselves. */
  readonly #stuck = new Set<Clock>()
  #isClosing = false

  constructor({ store, seed, wall }: { store: Store; seed: string; wall: Wall }) {
    this.store = store
    this.wall = wall
    this.ids = new Ids(store.directory, seed)
    for (const settings of store.directory.merchants()) this.#load(settings)
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
    return new Promise((resolve, reject) => {
      this.#enqueue({
        merchant,
        reject,
        run: () => {
          const unit = this.#unit(merchant, request)
          const outcome = this.#attempt(() => run(unit), unit)
          return 'error' in outcome ? () => reject(outcome.error) : () => resolve(outcome.value)
        },
      })
    })
  }

  /** Runs a command of the operator that belongs to no merchant's time. It commits or fails like any other. */
  administer<T>(run: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#enqueue({
        merchant: null,
        reject,
        run: () => {
          const outcome = this.#attempt(run)
          return 'error' in outcome ? () => reject(outcome.error) : () => resolve(outcome.value)
        },
      })
    })
  }

  /** Resolves when nothing that is due on a merchant's live clock is left to do. Source: decisions.md 2. */
  async settle(merchant: MerchantState): Promise<void> {
    if (this.#isOverdue(merchant.clock)) await this.command(merchant, null, () => undefined)
  }

  /** Runs what is due on every live clock: called by a tick each second. */
  async settleAll(): Promise<void> {
    await Promise.all([...this.merchants.values()].map((merchant) => this.settle(merchant)))
  }

  /**
   * Moves a clock forward, from due job to due job.
   * @param aim - the target in Unix seconds, asked for when the advance begins
   * @param stop_on - types of events after whose first the advance ends
   * @param param - the parameter to blame when the target is not forward
   * @returns what it did, when it has ended or was canceled
   * Source: decisions.md 2.
   */
  async advance(
    merchant: MerchantState,
    clock: Clock,
    aim: (now: number) => number,
    { stop_on = [], param }: { stop_on?: readonly EventType[] | undefined; param: string },
  ): Promise<Summary> {
    const running = await this.command(merchant, null, () => {
      const target = aim(clock.instant)
      this.checkAdvance(clock, target, param)
      this.#touched.add(clock)
      this.#stuck.delete(clock)
      clock.begin(target, storedAdvance(stop_on))
      return this.#run(merchant, clock)
    })
    return running.done
  }

  /**
   * Whether a clock can move to a target: forward, or to the present instant while something is due there.
   * @throws ApiError parameter_invalid for the parameter that named the target
   * Source: decisions.md 2.
   */
  checkAdvance(clock: Clock, target: number, param: string): void {
    const { now } = clock
    const isDue = (this.#nextDue(clock) ?? Number.POSITIVE_INFINITY) <= target
    if (target > now || (target === now && isDue)) return
    const [from, to] = [formatInstant(now), formatInstant(target)]
    throw parameterInvalid(
      param,
      `The clock can only move forward: it stands at ${from}, and ${to} is not after that`,
    )
  }

  /** How many objects have been made. */
  counts(): Readonly<Record<string, number>> {
    const made = (prefix: string) => this.store.directory.counted(prefix)
    return { customers: made('cus'), subscriptions: made('sub'), invoices: made('in'), events: made('evt') }
  }

  /** Goes on with the advances that a crash or a stop interrupted. */
  resume(): Promise<Summary>[] {
    return [...this.merchants.values()].flatMap((merchant) =>
      clocksOf(merchant)
        .filter((clock) => clock.target !== null)
        .map((clock) => this.#run(merchant, clock).done),
    )
  }

  /** Ends the advance under way on a clock at the next border of a batch. @returns whether there was one */
  cancelAdvance(clock: Clock): boolean {
    const running = this.#running.get(clock)
    if (running) running.isCanceled = true
    return running !== undefined
  }

  /** Adds a merchant that the store has got. */
  admit(settings: MerchantState['settings']): MerchantState {
    return this.#load(settings)
  }

  /** Lets what runs end: commands are answered, advances stop at a border and go on at the next start. */
  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done))
    while (this.#queue.length > 0) await new Promise((resolve) => setImmediate(resolve))
    this.store.close()
  }

  #load(settings: MerchantState['settings']): MerchantState {
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
    return merchant
  }

  #unit(merchant: MerchantState, request: RequestContext | null): Unit {
    return new Unit({ store: this.store, ids: this.ids, merchant, request })
  }

  #enqueue(command: Command): void {
    if (this.#queue.length === 0) setImmediate(() => this.#flush())
    this.#queue.push(command)
  }

  /** One transaction for all commands that have arrived; answers leave after its commit. */
  #flush(): void {
    const commands = this.#queue.splice(0)
    const answers: (() => void)[] = []
    const admitted: Command[] = []
    try {
      this.#transaction(() => {
        for (const command of commands) {
          if (this.#holds(command)) continue
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

  /** Parks a command while time is moving, and moves time first where a live clock is behind. */
  #holds(command: Command): boolean {
    const { merchant } = command
    if (!merchant) return false
    const { clock } = merchant
    this.#touched.add(clock)
    if (!merchant.isAdvancing && this.#isOverdue(clock)) {
      clock.begin(clock.now, storedAdvance([]))
      this.#run(merchant, clock).done.catch(() => this.#stuck.add(clock))
    }
    if (merchant.isAdvancing) merchant.waiting.push(() => this.#enqueue(command))
    else clock.tick()
    return merchant.isAdvancing
  }

  #isOverdue(clock: Clock): boolean {
    if (clock.mode !== 'live' || clock.target !== null || this.#isClosing || this.#stuck.has(clock))
      return false
    return (this.#nextDue(clock) ?? Number.POSITIVE_INFINITY) <= clock.now
  }

  #nextDue(clock: Clock): number | undefined {
    return this.store.jobs.next(clock.seq, 1)[0]?.due
  }

  #attempt<T>(run: () => T, unit?: Unit): { value: T } | { error: unknown } {
    this.ids.mark()
    try {
      return { value: this.store.savepoint(run) }
    } catch (error) {
      this.ids.rollback()
      if (unit && error instanceof RefusedAfterAttempt) {
        apply(unit, error.remembered)
        return { error: error.error }
      }
      if (!(error instanceof ApiError)) this.#report(error, 'running a command')
      return { error }
    }
  }

  #run(merchant: MerchantState, clock: Clock): Running {
    merchant.isAdvancing = true
    const running: Running = { clock, isCanceled: false, done: Promise.resolve(NOTHING_DONE) }
    const done = this.#step(merchant, running).finally(() => {
      this.#running.delete(clock)
      merchant.isAdvancing = false
      for (const requeue of merchant.waiting.splice(0)) requeue()
    })
    const tracked = Object.assign(running, { done })
    this.#running.set(clock, tracked)
    return tracked
  }

  async #step(merchant: MerchantState, running: Running): Promise<Summary> {
    const { clock } = running
    let summary = NOTHING_DONE
    for (;;) {
      // Between batches the requests that arrived meanwhile are read and answered.
      await new Promise((resolve) => setImmediate(resolve))
      if (this.#isClosing) return summary
      try {
        const batch = this.#transaction(() => {
          this.#touched.add(clock)
          if (running.isCanceled) clock.end()
          return running.isCanceled
            ? { isDone: true, summary }
            : runBatch(this.store, clock, () => this.#unit(merchant, null))
        })
        summary = batch.summary
        if (batch.isDone) return summary
      } catch (error) {
        this.#report(error, `advancing the clock of ${merchant.settings.id}`)
        this.#transaction(() => {
          this.#touched.add(clock)
          clock.end()
        })
        throw error
      }
    }
  }

  /** A transaction that takes counters and clocks along, both ways. */
  #transaction<T>(work: () => T): T {
    this.ids.mark()
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
      for (const listener of this.#listeners) listener.committed?.()
      return result
    } catch (error) {
      this.ids.reset()
      const rows = new Map(this.store.directory.clocks().map((row) => [row.seq, row]))
      for (const clock of this.#touched) {
        const row = rows.get(clock.seq)
        if (row) clock.reset(row)
      }
      this.#touched.clear()
      throw error
    }
  }

  #report(error: unknown, doing: string): void {
    for (const listener of this.#listeners) listener.failed?.(error, doing)
  }
}

const clocksOf = ({ clock, testClocks }: MerchantState): Clock[] => [clock, ...testClocks.values()]
