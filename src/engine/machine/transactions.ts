import { ApiError } from '../../core/errors.ts'
import type { Store } from '../../store/store.ts'
import { apply } from './apply.ts'
import type { Clock } from './clock.ts'
import { DiskFailures } from './disk-failures.ts'
import type { Ids } from './ids.ts'
import type { Listeners } from './listeners.ts'
import { StateReplaced } from './merchant-state.ts'
import type { TransactionLog } from './transaction-log.ts'
import { ClockHeld, CommandRefused, DryRunResult, PaymentRefused, type UnitOfWork } from './unit.ts'

/** Runs transactions of the database together with their changes in memory: counters, clocks and merchants. */
export class Transactions {
  readonly #store: Store
  readonly #ids: Ids
  readonly #log: TransactionLog
  readonly #listeners: Listeners
  readonly disk = new DiskFailures()

  constructor(given: {
    readonly store: Store
    readonly ids: Ids
    readonly log: TransactionLog
    readonly listeners: Listeners
  }) {
    this.#store = given.store
    this.#ids = given.ids
    this.#log = given.log
    this.#listeners = given.listeners
  }

  /**
   * Runs a command in a savepoint of the open transaction: all its effects are kept, or none.
   * @throws the error of the command when SQLite has rolled back the whole transaction
   */
  inSavepoint<T>(run: () => T, unit?: UnitOfWork): { value: T } | { error: unknown } {
    this.#ids.mark()
    const mark = this.#log.mark()
    unit?.touch(unit.merchant.clock)
    try {
      return { value: this.#store.savepoint(run) }
    } catch (error) {
      this.#ids.rollback()
      this.#log.rollBackTo(mark, error)
      if (!this.#store.isInTransaction) throw error
      if (error instanceof DryRunResult) return { value: error.value }
      if (unit && error instanceof PaymentRefused) {
        apply(unit, error.keptSteps)
        error.afterwards()
        return { error: error.error }
      }
      const isOurs = ![ApiError, StateReplaced, ClockHeld, CommandRefused].some(
        (kind) => error instanceof kind,
      )
      if (isOurs) this.#listeners.report(error, 'running a command')
      return { error }
    }
  }

  /** Records a clock before the open transaction moves it. */
  touch(clock: Clock): void {
    this.#log.touch(clock)
  }

  /**
   * Runs work in a transaction of its own.
   * @param clocks - the clocks that the work may move
   */
  run<T>(clocks: readonly Clock[], work: () => T): T {
    this.#log.begin()
    for (const clock of clocks) this.#log.touch(clock)
    const result = this.#commit(work)
    this.disk.recordWrite()
    const moved = this.#log.clocks
    for (const followUp of this.#log.commit()) followUp()
    this.#listeners.notify((listener) => listener.committed?.(moved))
    return result
  }

  #commit<T>(work: () => T): T {
    try {
      return this.#store.transaction(() => {
        const value = work()
        this.#ids.flush()
        for (const clock of this.#log.clocks) {
          const row = clock.takeDirty()
          if (row) this.#store.clocks.update(row)
        }
        return value
      })
    } catch (error) {
      this.#log.rollBack(error)
      this.#ids.reset()
      throw error
    }
  }
}
