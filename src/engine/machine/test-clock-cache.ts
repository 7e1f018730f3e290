import { resourceMissing } from '../../core/errors.ts'
import type { ClockPage, ClockTable, StoredClock } from '../../store/clocks.ts'
import { Clock, type Wall } from './clock.ts'

/**
 * The test clocks of a merchant that were used since the start and are not deleted. There may be a thousand in the database, with few in
 * use.
 */
export class TestClocks {
  readonly #table: ClockTable
  readonly #merchant: number
  readonly #wall: Wall
  readonly #known = new Map<string, Clock>()

  constructor(table: ClockTable, merchant: number, wall: Wall) {
    this.#table = table
    this.#merchant = merchant
    this.#wall = wall
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

  /** Returns a new clock. It is cached at its first use only, because its command may be rolled back. */
  made(row: StoredClock): Clock {
    return new Clock(row, this.#wall)
  }

  /** Drops a clock whose deletion was committed. */
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
      if (!clock.isDeleted) this.#known.set(row.id, clock)
    }
    return clock
  }
}
