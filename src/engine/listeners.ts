import type { Clock } from './clock.ts'
import type { MerchantState } from './merchant-state.ts'
import type { Summary } from './scheduler.ts'

/** What the engine tells its listeners. */
export type EngineListener = {
  /** A transaction is committed: there may be new journal entries, and jobs on the clocks that it may have moved. */
  readonly committed?: (clocks: readonly Clock[]) => void
  /** A live clock was behind the wall clock, and what was due has been run. */
  readonly caughtUp?: (merchant: string, summary: Summary) => void
  /** All that there was has given way to another state, by a restore or a reset: nothing known of it holds. */
  readonly replaced?: () => void
  /** A merchant is gone with all that it had. */
  readonly deleted?: (merchant: MerchantState) => void
  /** Our own mistake, or a disk that refuses to write: something for the log. */
  readonly failed?: (error: unknown, doing: string) => void
}

/** Who listens to the engine. */
export class Listeners {
  readonly #listeners = new Set<EngineListener>()

  /** @returns what ends the listening */
  add(listener: EngineListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls each listener. One that fails is reported: that concerns neither the others nor the caller, whose work is done. */
  tell(call: (listener: EngineListener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener)
      } catch (error) {
        this.report(error, 'listening to the engine')
      }
    }
  }

  /** Reports a failure of our own or of the disk. */
  report(error: unknown, doing: string): void {
    for (const listener of this.#listeners) listener.failed?.(error, doing)
  }
}
