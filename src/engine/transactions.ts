import { ApiError } from '../core/errors.ts'
import type { StoredClock } from '../store/clocks.ts'
import type { Store } from '../store/store.ts'
import { apply } from './apply.ts'
import type { Clock } from './clock.ts'
import type { Ids } from './ids.ts'
import { StateReplaced } from './merchant-state.ts'
import { ClockHeld, RefusedAfterAttempt, Rehearsed, type Unit } from './unit.ts'

/** Who is told how transactions end. */
type Host = {
  /** @param clocks - those that the transaction may have moved */
  readonly committed: (clocks: readonly Clock[]) => void
  /** What is known of the database may have been read from what is there no more. */
  readonly rolledBack: () => void
  /** A command has failed by our own mistake. */
  readonly failed: (error: unknown) => void
}

/** How much was noted so far of what to undo, and of what follows the commit. */
type Mark = { readonly undo: number; readonly followUps: number }

/** Puts something in memory back. @param reason - why the command or the transaction was rolled back */
export type Undo = (reason: unknown) => void

/** Transactions that take what is in memory along (counters, clocks, merchants): into the database, or back to what that holds. */
export class Transactions {
  readonly #store: Store
  readonly #ids: Ids
  readonly #host: Host
  /** Clocks that the transaction under way may have moved, each as it was before. */
  readonly #touched = new Map<Clock, StoredClock>()
  /** How to put back what the transaction under way has changed in memory; the database does so itself. */
  readonly #undo: Undo[] = []
  /** What follows the commit of the transaction under way. */
  readonly #followUps: (() => void)[] = []

  constructor(store: Store, ids: Ids, host: Host) {
    this.#store = store
    this.#ids = ids
    this.#host = host
  }

  /** Takes note of a clock that is going to move. */
  touch(clock: Clock): void {
    if (!this.#touched.has(clock)) this.#touched.set(clock, clock.state)
  }

  /** How to put something in memory back, should the command or the transaction under way be taken back. */
  whenTakenBack(undo: Undo): void {
    this.#undo.push(undo)
  }

  /** What to do right after the commit; never, should the command or the transaction under way be taken back. */
  whenCommitted(followUp: () => void): void {
    this.#followUps.push(followUp)
  }

  /**
   * Runs a command within the transaction under way: what it does happens, or nothing of it.
   * @throws what the command has thrown, when SQLite has rolled back the whole transaction for it
   */
  attempt<T>(run: () => T, unit?: Unit): { value: T } | { error: unknown } {
    this.#ids.mark()
    const known = this.#mark()
    unit?.touch(unit.merchant.clock)
    try {
      return { value: this.#store.savepoint(run) }
    } catch (error) {
      this.#ids.rollback()
      this.#takeBack(known, error)
      if (!this.#store.isInTransaction) throw error
      if (error instanceof Rehearsed) return { value: error.value }
      if (unit && error instanceof RefusedAfterAttempt) {
        apply(unit, error.remembered)
        error.afterwards()
        return { error: error.error }
      }
      const isOurs = ![ApiError, StateReplaced, ClockHeld].some((kind) => error instanceof kind)
      if (isOurs) this.#host.failed(error)
      return { error }
    }
  }

  /** @param clocks - those that the work may move */
  run<T>(clocks: readonly Clock[], work: () => T): T {
    this.#undo.length = 0
    for (const clock of clocks) this.touch(clock)
    const result = this.#commit(work)
    const moved = [...this.#touched.keys()]
    this.#touched.clear()
    for (const followUp of this.#followUps.splice(0)) followUp()
    this.#host.committed(moved)
    return result
  }

  #commit<T>(work: () => T): T {
    try {
      return this.#store.transaction(() => {
        const value = work()
        this.#ids.flush()
        for (const clock of this.#touched.keys()) {
          const row = clock.takeDirty()
          if (row) this.#store.clocks.update(row)
        }
        return value
      })
    } catch (error) {
      this.#takeBack({ undo: 0, followUps: 0 }, error)
      this.#ids.reset()
      for (const [clock, before] of this.#touched) clock.reset(before)
      this.#touched.clear()
      this.#host.rolledBack()
      throw error
    }
  }

  #mark(): Mark {
    return { undo: this.#undo.length, followUps: this.#followUps.length }
  }

  /** Puts back what was changed in memory since a mark, the last change first, and forgets what was to follow. */
  #takeBack(since: Mark, reason: unknown): void {
    this.#followUps.length = since.followUps
    for (const undo of this.#undo.splice(since.undo).reverse()) undo(reason)
  }
}
