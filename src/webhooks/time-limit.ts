import { stopwatch } from '../engine/machine/clock.ts'

/** A time limit that can be paused. Its signal is aborted when the time is over, or with another signal. */
export class TimeLimit {
  readonly #controller = new AbortController()
  readonly #other: AbortSignal
  readonly #abort = () => this.#controller.abort()
  #leftMs: number
  #since = 0
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  #isLifted = false

  constructor(limitMs: number, other: AbortSignal) {
    this.#leftMs = limitMs
    this.#other = other
    other.addEventListener('abort', this.#abort, { once: true })
    if (other.aborted) this.#abort()
    this.#run()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the time is over. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Waits for work, and pauses the time limit meanwhile. */
  async pausedFor<T>(work: Promise<T>): Promise<T> {
    clearTimeout(this.#timer)
    this.#leftMs -= stopwatch() - this.#since
    try {
      return await work
    } finally {
      // The work may end after the limit is lifted.
      if (!this.#isLifted) this.#run()
    }
  }

  /** Removes the limit. */
  lift(): void {
    this.#isLifted = true
    clearTimeout(this.#timer)
    this.#other.removeEventListener('abort', this.#abort)
  }

  #run(): void {
    this.#since = stopwatch()
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#abort()
    }, this.#leftMs)
    // A connection keeps its process alive itself; a handler of the test library that never answers does not.
    this.#timer.unref()
  }
}
