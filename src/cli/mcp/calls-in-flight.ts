/** paytwin: the maximum number of calls in flight, each of which can have a connection to the daemon. */
export const MAX_CALLS = 100

/** Runs calls in the order in which they arrive, up to the limit at a time. */
export class CallsInFlight {
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @throws what the call throws; the reason of the signal if it is aborted before the call starts */
  async run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#running < MAX_CALLS) this.#running += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      signal.throwIfAborted()
      return await call()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
