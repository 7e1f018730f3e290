import { FrameLoop, realTiming, type Timing } from './frame-loop.ts'
import { nextChange } from './next-change.ts'
import type { State } from './state.ts'
import { type Frame, looksSameBelowHeader, view, viewHeader } from './view.ts'

/** What a display draws with. */
export type Drawing = {
  readonly isColoured: boolean
  /** A frame is about to be made. @returns the state that it shows */
  readonly begin: () => State
  /** Lays out a frame and paints it. */
  readonly layOut: (frame: Frame) => void
  /** Paints one line of the header, whose lines stand at the top of the screen. */
  readonly paintLine: (row: number, line: string) => void
  /** Our own mistake: thrown into a timer, it would end the process with the terminal taken. */
  readonly failed: (error: unknown) => void
}

/**
 * Draws the state when that changes what is on the screen: after an action, and when time alone changes it. A frame like the last one
 * is not drawn, and one with another header, such as when a clock ticks, is not laid out again.
 */
export class Display {
  readonly #drawing: Drawing
  readonly #timing: Timing
  readonly #loop: FrameLoop
  #drawn: { readonly state: State; readonly frame: Frame } | undefined
  #stopWaiting: () => void = () => undefined

  constructor(drawing: Drawing, timing: Timing = realTiming) {
    this.#drawing = drawing
    this.#timing = timing
    this.#loop = new FrameLoop(() => {
      try {
        this.#draw()
      } catch (error) {
        drawing.failed(error)
      }
    }, timing)
  }

  /** The state has changed. */
  request(): void {
    this.#loop.request()
  }

  /** Draws the next frame whole: the screen is empty, or has another size. */
  forget(): void {
    this.#drawn = undefined
    this.#loop.request()
  }

  end(): void {
    this.#loop.end()
    this.#stopWaiting()
  }

  #draw(): void {
    const state = this.#drawing.begin()
    const before = this.#drawn
    const frame = this.#frameOf(state)
    this.#drawn = { state, frame }
    if (before && isSameBelow(before.frame, frame)) this.#paintHeader(before.frame, frame)
    else this.#drawing.layOut(frame)
    this.#waitForChange(state)
  }

  /** The frame of a state; a second's tick of a clock costs no more than the header. */
  #frameOf(state: State): Frame {
    const before = this.#drawn
    if (!before || !looksSameBelowHeader(before.state, state)) return view(state, this.#drawing)
    return { ...before.frame, header: viewHeader(state, this.#drawing) }
  }

  #paintHeader(before: Frame, { header }: Frame): void {
    for (const [row, line] of header.entries()) {
      if (line !== before.header[row]) this.#drawing.paintLine(row, line)
    }
  }

  #waitForChange(state: State): void {
    this.#stopWaiting()
    const wait = nextChange(state)
    if (wait !== null) this.#stopWaiting = this.#timing.later(() => this.request(), Math.ceil(wait))
  }
}

/** Whether two frames have a header of the same height, and the same lines below it. */
const isSameBelow = (one: Frame, other: Frame): boolean =>
  one.header.length === other.header.length &&
  one.status === other.status &&
  areEqual(one.body, other.body) &&
  areEqual(one.panel, other.panel)

const areEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((line, index) => line === others[index])
