import { nextStep } from './arrivals.ts'
import type { Clock } from './clock.ts'
import type { MerchantState } from './merchant-state.ts'
import { isCatchUp, numberOf } from './stored-advance.ts'
import { Turns } from './turns.ts'

/**
 * paytwin: the jobs that an advance runs before the merchant's other advances take turns with it, some 1.3 s. Jobs rather than a
 * time: on each machine the same advances run one after the other.
 */
export const JOBS_ALONE = 10_000

/** An advance in the queue of its merchant. */
export type QueuedAdvance = {
  /** Resolves when those before it have left the queue. */
  readonly othersLeft: Promise<void>
  /** Lets those after it run. */
  readonly leave: () => void
}

/** The advances of a merchant that have not left. `newest` is the number of the last one that was requested. */
type Queue = { newest: number; left: Promise<void> }

/**
 * Decides which advance runs its next batch. Those of one merchant share its counters of ids and redemptions, so they run one after
 * the other, as they were requested. With a seed, runs are equal as long as none has to take turns: see JOBS_ALONE.
 * See docs/contract/clocks.md#advancing.
 */
export class AdvanceTurns {
  readonly #queues = new WeakMap<MerchantState, Queue>()
  /** The advances that wait for a turn of the event loop, and how to give it to them. Each returns whether it uses the turn. */
  readonly #waiting = new Turns<MerchantState, () => boolean>()

  /** Returns the number of an advance that a merchant requests: larger than those of all before it. */
  nextNumber(merchant: MerchantState): number {
    const queue = this.#queueOf(merchant)
    queue.newest += 1
    return queue.newest
  }

  /** Queues the advance of a clock. One that follows the wall clock is not queued, and waits for no other. */
  join(merchant: MerchantState, clock: Clock): QueuedAdvance {
    const queue = this.#queueOf(merchant)
    const { left: othersLeft } = queue
    if (isCatchUp(clock)) return { othersLeft: Promise.resolve(), leave: () => undefined }
    let leave: () => void = () => undefined
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    queue.newest = Math.max(queue.newest, numberOf(clock))
    queue.left = othersLeft.then(() => left)
    return { othersLeft, leave }
  }

  /**
   * Resolves in a turn of the event loop that no other batch has: a request waits for one batch, not for one of each advancing
   * clock. Merchants take turns, so that one with many advancing clocks does not delay the others.
   * @param isWanted - whether there will be a batch; those that need no turn any more do not wait for one each
   */
  async nextBatch(merchant: MerchantState, isWanted: () => boolean): Promise<void> {
    if (!isWanted()) return
    await new Promise<void>((resolve) => {
      const isGiving = !this.#waiting.isEmpty
      this.#waiting.add([merchant], () => {
        resolve()
        return isWanted()
      })
      if (!isGiving) void this.#give()
    })
  }

  async #give(): Promise<void> {
    while (!this.#waiting.isEmpty) {
      await nextStep()
      while (this.#waiting.take()?.() === false);
    }
  }

  #queueOf(merchant: MerchantState): Queue {
    let queue = this.#queues.get(merchant)
    if (!queue) {
      queue = { newest: 0, left: Promise.resolve() }
      this.#queues.set(merchant, queue)
    }
    return queue
  }
}
