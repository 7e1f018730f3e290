import { isUnreadable } from '../../store/unusable.ts'
import { type Clock, stopwatch } from './clock.ts'
import type { UnreadableClocks } from './unreadable-clocks.ts'

/** paytwin: the least time before jobs that could not be read are tried again, in milliseconds. Some wake-up comes each minute. */
const RETRY_MS = 30_000

/** Live clocks with a due job that failed, or whose jobs are damaged. Their jobs do not run by themselves meanwhile. */
export class SuspendedClocks {
  /** When the jobs of each clock are tried again: see stopwatch. */
  #until = new WeakMap<Clock, number>()
  readonly #unreadable: UnreadableClocks

  /** @param unreadable - the clocks whose jobs have met an unreadable page */
  constructor(unreadable: UnreadableClocks) {
    this.#unreadable = unreadable
  }

  /** Suspends a clock after an error: for some time if a page could not be read, else until an advance is requested. */
  add(clock: Clock, error: unknown): void {
    this.#until.set(clock, isUnreadable(error) ? stopwatch() + RETRY_MS : Number.POSITIVE_INFINITY)
  }

  /** Whether the jobs of a clock must not run by themselves now. */
  has(clock: Clock): boolean {
    const until = this.#until.get(clock)
    return until !== undefined && stopwatch() < until
  }

  /** Tries the jobs of a clock again. If they fail again, it is suspended again at once. @returns whether it was suspended */
  retry(clock: Clock): boolean {
    return this.#until.delete(clock)
  }

  /** Lets the jobs of a clock run by themselves, as if none had failed. */
  release(clock: Clock): void {
    this.#until.delete(clock)
    this.#unreadable.recordRead(clock)
  }

  /** Releases all clocks. */
  clear(): void {
    this.#until = new WeakMap()
  }
}
