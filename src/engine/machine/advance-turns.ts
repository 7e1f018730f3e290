import { nextStep } from './arrivals.ts'
import type { Clock } from './clock.ts'
import { afterMicrotasks } from './limited-turns.ts'
import type { MerchantState } from './merchant-state.ts'
import { Pauses } from './pauses.ts'
import type { Steps } from './steps.ts'
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

/** Waits for a turn of the event loop. */
type Waiting = {
  readonly merchant: MerchantState
  /** Gives it the turn. @returns whether it uses it */
  readonly give: () => boolean
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
  /** The advances that wait for a turn of the event loop. */
  readonly #waiting = new Turns<MerchantState, Waiting>()
  #isGiving = false
  readonly #pauses: Pauses

  constructor(steps: Steps) {
    this.#pauses = new Pauses(steps)
  }

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
      const give = () => {
        resolve()
        return isWanted()
      }
      this.#waiting.add([merchant], { merchant, give })
      this.#resume()
    })
  }

  readonly #resume = (): void => {
    if (this.#isGiving || this.#waiting.isEmpty) return
    this.#isGiving = true
    void this.#giveAll()
  }

  async #giveAll(): Promise<void> {
    while (!this.#waiting.isEmpty) {
      await nextStep()
      if (!(await this.#giveNext()) && !this.#waiting.isEmpty) {
        this.#pauses.onResume(this.#resume)
        break
      }
    }
    this.#isGiving = false
  }

  /** Gives a turn to the next advance that uses it. @returns whether there was one; those of merchants that pause wait */
  async #giveNext(): Promise<boolean> {
    const take = () => this.#waiting.take(this.#pauses.isPausing)
    for (let next = take(); next; next = take()) {
      if (!next.give()) continue
      const step = this.#pauses.begin([next.merchant])
      await afterMicrotasks()
      this.#pauses.end(step)
      return true
    }
    return false
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
