/** A higher rate would not be visible, and slow terminals could not draw it. See docs/contract/terminal-ui.md#events. */
export const FRAMES_PER_SECOND = 15
const FRAME_MS = 1000 / FRAMES_PER_SECOND

/** The clock and timer of a loop. */
export type Timing = {
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number
  /** Runs work after a delay. @returns a function that cancels it */
  readonly later: (work: () => void, delayMs: number) => () => void
}

export const realTiming: Timing = {
  now: () => performance.now(),
  later: (work, delayMs) => {
    const timer = setTimeout(work, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Draws a frame on request, immediately if the last one is old enough, and at most FRAMES_PER_SECOND times a second. */
export class FrameLoop {
  readonly #draw: () => void
  readonly #timing: Timing
  #drawnAt = Number.NEGATIVE_INFINITY
  #cancel: (() => void) | undefined
  #isEnded = false

  constructor(draw: () => void, timing: Timing = realTiming) {
    this.#draw = draw
    this.#timing = timing
  }

  /** Requests a frame after a change. */
  request(): void {
    if (this.#cancel || this.#isEnded) return
    const { now, later } = this.#timing
    const wait = Math.max(0, this.#drawnAt + FRAME_MS - now())
    this.#cancel = later(() => {
      this.#cancel = undefined
      this.#drawnAt = now()
      this.#draw()
    }, Math.ceil(wait))
  }

  /** Stops drawing. */
  end(): void {
    this.#isEnded = true
    this.#cancel?.()
  }
}
