import type { MovePlace } from '../../store/clock-events.ts'
import type { Clock } from './clock.ts'
import type { MerchantState } from './merchant-state.ts'
import type { Summary } from './stored-advance.ts'

/** The notifications of the engine. */
export type EngineListener = {
  /** A transaction was committed: there may be new journal entries, and jobs on the given clocks. */
  readonly committed?: (clocks: readonly Clock[]) => void
  /** A live clock was behind the wall clock, and its due jobs have run. */
  readonly caughtUp?: (merchant: string, summary: Summary) => void
  /** The whole state was replaced by a restore or a reset; caches must be dropped. */
  readonly replaced?: () => void
  /** A merchant was deleted with all its data. The function returns where places among the events of all are now. */
  readonly deleted?: (merchant: MerchantState, movePlace: MovePlace) => void
  /** An advance has stalled: the disk is full or fails. The due jobs must be run again soon, which retries it. */
  readonly stalled?: () => void
  /** A defect, or a disk that cannot be written, was caught. To be logged. */
  readonly failed?: (error: unknown, doing: string) => void
}

/** The listeners of the engine. */
export class Listeners {
  readonly #listeners = new Set<EngineListener>()

  /** @returns a function that removes the listener */
  add(listener: EngineListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Calls each listener. An error of one is reported; it affects neither the others nor the caller, whose work is done.
   */
  notify(call: (listener: EngineListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener)
      } catch (error) {
        this.report(error, 'listening to the engine')
      }
    }
  }

  /** Reports a defect or an error of the disk. */
  report(error: unknown, doing: string): void {
    for (const listener of this.#listeners) listener.failed?.(error, doing)
  }
}

/** Marks a promise as handled: its failure is reported where it happens. */
export function reportedElsewhere<T>(done: Promise<T>): Promise<T> {
  done.catch(() => undefined)
  return done
}
