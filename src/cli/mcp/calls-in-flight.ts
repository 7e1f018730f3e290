import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * paytwin: the maximum number of calls in flight. Each one can have a connection to the daemon while it runs, and takes memory
 * until its result is written.
 */
export const MAX_CALLS = 100

/** Runs calls in the order in which they arrive, up to the limit at a time. */
export class CallsInFlight {
  readonly #written: () => Promise<void>
  readonly #waiting: (() => void)[] = []
  #count = 0

  /** @param written - waits until all results that were sent are written */
  constructor(written: () => Promise<void>) {
    this.#written = written
  }

  /**
   * Runs a call, which is in flight until its result is written.
   * @throws what the call throws; the reason of the signal if it is aborted before the call starts
   */
  async run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#count < MAX_CALLS) this.#count += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      signal.throwIfAborted()
      return await call()
    } finally {
      void this.#endOnceWritten()
    }
  }

  async #endOnceWritten(): Promise<void> {
    // By the next turn of the event loop the server has sent the result, unless the call was canceled.
    await nextTurn()
    await this.#written()
    const next = this.#waiting.shift()
    if (next) next()
    else this.#count -= 1
  }
}
