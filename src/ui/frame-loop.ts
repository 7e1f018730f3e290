/** More can be neither seen nor drawn by a slow terminal. See docs/contract/terminal-ui.md#events. */
export const FRAMES_PER_SECOND = 15
const FRAME_MS = 1000 / FRAMES_PER_SECOND

/** How time passes for a loop. */
export type Timing = {
  /** Milliseconds from an arbitrary start. */
  readonly now: () => number
  /** Does something after so many milliseconds, unless it is called off. @returns calls it off */
  readonly later: (work: () => void, delayMs: number) => () => void
}

export const realTiming: Timing = {
  now: () => performance.now(),
  later: (work, delayMs) => {
    const timer = setTimeout(work, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Draws when it is asked to, at once where the last frame is long enough ago, and at most so often a second. */
export class FrameLoop {
  readonly #draw: () => void
  readonly #timing: Timing
  #drawnAt = Number.NEGATIVE_INFINITY
  #callOff: (() => void) | undefined
  #isEnded = false

  constructor(draw: () => void, timing: Timing = realTiming) {
    this.#draw = draw
    this.#timing = timing
  }

  /** Something has changed. */
  request(): void {
    if (this.#callOff || this.#isEnded) return
    const { now, later } = this.#timing
    const wait = Math.max(0, this.#drawnAt + FRAME_MS - now())
    this.#callOff = later(() => {
      this.#callOff = undefined
      this.#drawnAt = now()
      this.#draw()
    }, Math.ceil(wait))
  }

  /** Nothing is drawn any more. */
  end(): void {
    this.#isEnded = true
    this.#callOff?.()
  }
}
