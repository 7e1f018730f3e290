import { resourceMissing } from '../core/errors.ts'
import type { ClockPage, ClockTable, StoredClock } from '../store/clocks.ts'
import { Clock, type Wall } from './clock.ts'

/**
 * The test clocks of a merchant that somebody has asked for: there may be a thousand of them, and few in use. The database
 * knows them all.
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

  /** A clock of this merchant, a deleted one too: what is left of its customers still follows it. */
  find(id: string): Clock | undefined {
    const known = this.#known.get(id)
    if (known) return known
    const row = this.#table.test(this.#merchant, id)
    return row && this.#take(row)
  }

  /**
   * A clock that the caller names.
   * @param param - "id" for a path, else the parameter that names it
   * @throws ApiError resource_missing, for a deleted one too
   */
  named(id: string, param = 'id'): Clock {
    const clock = this.find(id)
    if (!clock || clock.isDeleted) throw resourceMissing('test clock', id, param)
    return clock
  }

  /** A clock that was just made. It is not remembered before it is asked for: its command may yet be taken back. */
  made(row: StoredClock): Clock {
    return new Clock(row, this.#wall)
  }

  /** A page of them, newest first; for `above` alone the nearest to it first. */
  list(page: ClockPage): Clock[] {
    return this.#table.tests(this.#merchant, page).map((row) => this.#take(row))
  }

  /** Those on which an advance is under way. */
  advancing(): Clock[] {
    return this.#table.advancing(this.#merchant).map((row) => this.#take(row))
  }

  /** One object for each clock, since what moves it and what waits for it must mean the same. */
  #take(row: StoredClock): Clock {
    let clock = this.#known.get(row.id)
    if (!clock) {
      clock = new Clock(row, this.#wall)
      this.#known.set(row.id, clock)
    }
    return clock
  }
}
