import { ApiError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import { apply } from './apply.ts'
import type { Clock } from './clock.ts'
import type { Ids } from './ids.ts'
import { StateReplaced } from './merchant-state.ts'
import { ClockHeld, RefusedAfterAttempt, Rehearsed, type Unit } from './unit.ts'

/** Who is told how transactions end. */
type Host = {
  readonly committed: () => void
  /** What is known of the database may have been read from what is there no more. */
  readonly rolledBack: () => void
  /** A command has failed by our own mistake. */
  readonly failed: (error: unknown) => void
}

/** Transactions that take what is in memory along (counters, clocks, merchants): into the database, or back to what that holds. */
export class Transactions {
  readonly #store: Store
  readonly #ids: Ids
  readonly #host: Host
  /** Clocks that the transaction under way may have moved. */
  readonly #touched = new Set<Clock>()
  /** How to put back what the transaction under way has changed in memory; the database does so itself. */
  readonly #undo: (() => void)[] = []

  constructor(store: Store, ids: Ids, host: Host) {
    this.#store = store
    this.#ids = ids
    this.#host = host
  }

  /** Takes note of a clock that is going to move. */
  touch(clock: Clock): void {
    this.#touched.add(clock)
  }

  /** How to put something in memory back, should the command or the transaction under way be taken back. */
  whenTakenBack(undo: () => void): void {
    this.#undo.push(undo)
  }

  /** Runs a command within the transaction under way: what it does happens, or nothing of it. */
  attempt<T>(run: () => T, unit?: Unit): { value: T } | { error: unknown } {
    this.#ids.mark()
    const known = this.#undo.length
    unit?.touch(unit.merchant.clock)
    try {
      return { value: this.#store.savepoint(run) }
    } catch (error) {
      this.#ids.rollback()
      this.#takeBack(known)
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
    for (const clock of clocks) this.#touched.add(clock)
    try {
      const result = this.#store.transaction(() => {
        const value = work()
        this.#ids.flush()
        for (const clock of this.#touched) {
          const row = clock.takeDirty()
          if (row) this.#store.clocks.update(row)
        }
        return value
      })
      this.#touched.clear()
      this.#host.committed()
      return result
    } catch (error) {
      this.#takeBack(0)
      this.#ids.reset()
      for (const clock of this.#touched) clock.reset(this.#store.clocks.at(clock.seq))
      this.#touched.clear()
      this.#host.rolledBack()
      throw error
    }
  }

  /** Puts back what was changed in memory after the first `known` changes, the last one first. */
  #takeBack(known: number): void {
    for (const undo of this.#undo.splice(known).reverse()) undo()
  }
}
