import { resourceMissing } from '../../core/errors.ts'
import type { ClockPage, ClockTable, StoredClock } from '../../store/clocks.ts'
import { Clock, type Wall } from './clock.ts'
import type { TransactionLog } from './transaction-log.ts'

/**
 * The test clocks of a merchant that were used since the start and are not deleted. There may be a thousand in the database, with few in
 * use.
 */
export class TestClocks {
  readonly #table: ClockTable
  readonly #merchant: number
  readonly #wall: Wall
  readonly #log: TransactionLog
  readonly #known = new Map<string, Clock>()

  constructor(given: {
    readonly table: ClockTable
    readonly merchant: number
    readonly wall: Wall
    readonly log: TransactionLog
  }) {
    this.#table = given.table
    this.#merchant = given.merchant
    this.#wall = given.wall
    this.#log = given.log
  }

  /** Finds a clock of this merchant, also a deleted one, which remaining objects of its customers still follow. */
  find(id: string): Clock | undefined {
    const known = this.#known.get(id)
    if (known) return known
    const row = this.#table.test(this.#merchant, id)
    return row && this.#take(row)
  }

  /**
   * Finds a clock that a request names.
   * @param param - "id" for a path, else the parameter that names it
   * @throws ApiError resource_missing, also for a deleted one
   */
  named(id: string, param = 'id'): Clock {
    const clock = this.find(id)
    if (!clock || clock.isDeleted) throw resourceMissing('test clock', id, param)
    return clock
  }

  /** Returns a new clock. Only its next reader caches it. */
  made(row: StoredClock): Clock {
    return new Clock(row, this.#wall)
  }

  /** Drops a clock whose deletion was committed, or whose row may have been rolled back. */
  forget({ id }: Clock): void {
    this.#known.delete(id)
  }

  /** Lists a page of clocks, newest first; with `above` alone oldest first. */
  list(page: ClockPage): Clock[] {
    return this.#table.tests(this.#merchant, page).map((row) => this.#take(row))
  }

  /** Lists the clocks that are advancing. */
  advancing(): Clock[] {
    return this.#table.advancing(this.#merchant).map((row) => this.#take(row))
  }

  /**
   * Returns the only object of a clock. All code that moves the clock or waits for it must share that object. A deleted clock does not
   * move, and is not kept.
   */
  #take(row: StoredClock): Clock {
    let clock = this.#known.get(row.id)
    if (!clock) {
      clock = new Clock(row, this.#wall)
      if (!clock.isDeleted) this.#keep(clock)
    }
    return clock
  }

  /** Caches a clock. A row that was read in a transaction may be uncommitted, so it is dropped when the reader is rolled back. */
  #keep(clock: Clock): void {
    this.#known.set(clock.id, clock)
    this.#log.onRollback(() => this.forget(clock))
  }
}
