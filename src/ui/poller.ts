import { realTiming, type Timing } from './frame-loop.ts'

/** The minimum interval between two polls that events cause. */
const SOON_MS = 1_000

/** The source and the receiver of a poller. */
export type Polled<Reading> = {
  readonly read: () => Promise<Reading>
  /** Receives a reading. @returns the delay until the next one, in milliseconds */
  readonly receive: (reading: Reading) => number
  readonly signal: AbortSignal
  /** An internal error of `read` or `receive`. Polling ends. */
  readonly failed: (error: unknown) => void
  readonly timing?: Timing
}

/** Reads something repeatedly, one reading at a time, until it is stopped or the signal aborts. */
export class Poller<Reading> {
  readonly #polled: Polled<Reading>
  readonly #timing: Timing
  #readAt = Number.NEGATIVE_INFINITY
  #nextAt = Number.POSITIVE_INFINITY
  #isReading = false
  /** Whether something has changed since the running reading began. */
  #isOutdated = false
  #isStopped = true
  #cancel: () => void = () => undefined

  constructor(polled: Polled<Reading>) {
    this.#polled = polled
    this.#timing = polled.timing ?? realTiming
    polled.signal.addEventListener('abort', () => this.stop(), { once: true })
  }

  /** Reads at once, and repeatedly from then on. A running reading is discarded, because it may be older than the change. */
  poll(): void {
    if (this.#polled.signal.aborted) return
    this.#isStopped = false
    if (this.#isReading) this.#isOutdated = true
    else void this.#read().catch(this.#polled.failed)
  }

  /** Reads within a second, because events have arrived. */
  pollSoon(): void {
    if (!this.#isStopped && !this.#isReading && this.#nextAt > this.#readAt + SOON_MS)
      this.#pollAt(this.#readAt + SOON_MS)
  }

  /** Stops reading until the next poll(). A running reading is discarded. */
  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }

  async #read(): Promise<void> {
    this.#cancel()
    this.#isReading = true
    let reading: Reading
    try {
      do {
        this.#isOutdated = false
        reading = await this.#polled.read()
      } while (this.#isOutdated && !this.#isStopped)
    } finally {
      this.#isReading = false
    }
    if (this.#isStopped) return
    this.#readAt = this.#timing.now()
    this.#pollAt(this.#readAt + this.#polled.receive(reading))
  }

  #pollAt(at: number): void {
    this.#cancel()
    this.#nextAt = at
    this.#cancel = this.#timing.later(() => this.poll(), Math.max(0, Math.ceil(at - this.#timing.now())))
  }
}
