import { rateLimited } from '../core/errors.ts'
import { type Wall, wallSeconds } from '../engine/machine/clock.ts'

/** Limits the requests of each merchant per second of real time. See docs/contract/requests.md#rate-limit. */
export class RateLimit {
  readonly #perSecond: number
  readonly #time: Wall
  readonly #counts = new Map<number, number>()
  #second = 0

  /** @param time - a clock that never goes back, so that setting the wall clock back does not reset the limit */
  constructor(perSecond: number, time: Wall) {
    this.#perSecond = perSecond
    this.#time = time
  }

  /** Counts a request. @param merchant - the ordinal of the merchant. @throws ApiError rate_limit */
  count(merchant: number): void {
    const second = wallSeconds(this.#time)
    if (second !== this.#second) {
      this.#second = second
      this.#counts.clear()
    }
    const count = (this.#counts.get(merchant) ?? 0) + 1
    this.#counts.set(merchant, count)
    if (count > this.#perSecond) throw rateLimited()
  }
}
