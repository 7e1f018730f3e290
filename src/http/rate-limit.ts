import { rateLimited } from '../core/errors.ts'
import { type Wall, wallSeconds } from '../engine/clock.ts'

/** Counts requests of each merchant in each second of the wall clock. Source: decisions.md 1, "Rate limiting". */
export class RateLimit {
  readonly #perSecond: number
  readonly #wall: Wall
  readonly #counts = new Map<number, number>()
  #second = 0

  constructor(perSecond: number, wall: Wall) {
    this.#perSecond = perSecond
    this.#wall = wall
  }

  /** @param merchant - its ordinal. @throws ApiError rate_limit */
  count(merchant: number): void {
    const second = wallSeconds(this.#wall)
    if (second !== this.#second) {
      this.#second = second
      this.#counts.clear()
    }
    const count = (this.#counts.get(merchant) ?? 0) + 1
    this.#counts.set(merchant, count)
    if (count > this.#perSecond) throw rateLimited()
  }
}
