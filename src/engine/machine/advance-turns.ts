import { nextStep } from './arrivals.ts'
import type { Clock } from './clock.ts'
import type { MerchantState } from './merchant-state.ts'
import { isCatchUp, placeOf } from './stored-advance.ts'
import { Turns } from './turns.ts'

/**
 * paytwin: the jobs that an advance runs before the merchant's other advances take turns with it, some 1.3 s. Jobs rather than a
 * time: on each machine the same advances run one after the other.
 */
export const JOBS_ALONE = 10_000

/** An advance among those of its merchant. */
export type Place = {
  /** Resolves when those before it have left. */
  readonly first: Promise<unknown>
  /** Lets those after it run. */
  readonly leave: () => void
}

/** The advances of a merchant in the order of their requests. `last` is the place of the newest. */
type Line = { last: number; left: Promise<unknown> }

/**
 * Decides which advance runs its next batch. Those of one merchant share its counters of ids and redemptions, so they run one after
 * the other, as they were requested: with a seed, two runs are equal.
 * See docs/contract/clocks.md#advancing.
 */
export class AdvanceTurns {
  readonly #lines = new WeakMap<MerchantState, Line>()
  /** The advances that wait for a turn of the event loop, and how to give it to them. */
  readonly #waiting = new Turns<MerchantState, () => void>()

  /** Returns the place of an advance that a merchant requests: a number larger than those of all before it. */
  newPlace(merchant: MerchantState): number {
    const line = this.#lineOf(merchant)
    line.last += 1
    return line.last
  }

  /** Takes the place that is stored for the advance of a clock. One that follows the wall clock has none, and waits for no other. */
  join(merchant: MerchantState, clock: Clock): Place {
    const line = this.#lineOf(merchant)
    if (isCatchUp(clock)) return { first: Promise.resolve(), leave: () => undefined }
    let leave: () => void = () => undefined
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    const first = line.left
    line.last = Math.max(line.last, placeOf(clock))
    line.left = Promise.all([first, left])
    return { first, leave }
  }

  /**
   * Resolves in a turn of the event loop that no other batch has: a request waits for one batch, not for one of each advancing
   * clock. Merchants take turns, so that one with many advancing clocks does not delay the others.
   */
  ofABatch(merchant: MerchantState): Promise<void> {
    return new Promise((resolve) => {
      const isGiving = !this.#waiting.isEmpty
      this.#waiting.add([merchant], resolve)
      if (!isGiving) void this.#give()
    })
  }

  async #give(): Promise<void> {
    while (!this.#waiting.isEmpty) {
      await nextStep()
      this.#waiting.take()?.()
    }
  }

  #lineOf(merchant: MerchantState): Line {
    let line = this.#lines.get(merchant)
    if (!line) {
      line = { last: 0, left: Promise.resolve() }
      this.#lines.set(merchant, line)
    }
    return line
  }
}
