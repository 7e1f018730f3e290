import { isOfStorage, isUnreadable } from '../../store/unusable.ts'
import { type Clock, stopwatch } from './clock.ts'

/** paytwin: the time for which a page may be unreadable before it counts as damaged, in milliseconds. */
const MAX_FAILING_MS = 60_000

/** The clocks whose jobs cannot be read or run now, because a page cannot be read: it is damaged, or the disk fails for some time. */
export class UnreadableClocks {
  /** When each clock failed for the first time since it was last read: see stopwatch. */
  readonly #since = new WeakMap<Clock, number>()

  /** Records an error of a clock. @returns whether its cause may end by itself, so that a retry may succeed */
  isTransient(clock: Clock, error: unknown): boolean {
    if (!isUnreadable(error)) return isOfStorage(error)
    const now = stopwatch()
    const since = this.#since.get(clock) ?? now
    this.#since.set(clock, since)
    return now - since < MAX_FAILING_MS
  }

  /** Records that a clock was read. */
  recordRead(clock: Clock): void {
    this.#since.delete(clock)
  }
}
