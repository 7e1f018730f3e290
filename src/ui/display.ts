import { FrameLoop, realTiming, type Timing } from './frame-loop.ts'
import { RATE_SPAN_MS } from './rate.ts'
import type { State } from './state.ts'
import { type Frame, looksSameBelowHeader, view, viewHeader } from './view.ts'

/** The functions with which a display draws. */
export type Drawing = {
  readonly isColoured: boolean
  /** Called before each frame. @returns the state to draw */
  readonly begin: () => State
  /** Lays out a frame and paints it. */
  readonly layOut: (frame: Frame) => void
  /** Paints one line of the header, whose lines stand at the top of the screen. */
  readonly paintLine: (row: number, line: string) => void
  /** Reports an internal error. Thrown from a timer, it would end the process without restoring the terminal. */
  readonly failed: (error: unknown) => void
}

/**
 * Draws the state if it changes the screen: after an action, or as time passes. A frame that equals the last one
 * is not drawn. If only the header differs, such as when a clock ticks, only the header is painted.
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

  /** Forces a complete repaint of the next frame, after the screen was cleared or resized. */
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

  /** Renders the frame of a state. If only a clock ticked, only the header is rendered again. */
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

/** The interval at which a falling rate is redrawn, in milliseconds. */
const RATE_EVERY_MS = 1_000

/**
 * Returns the milliseconds until the screen changes without an action: a live clock ticks, a rate falls, or a notice
 * disappears. null if it does not.
 */
function nextChange({ clock: view, rate, notice, at }: State): number | null {
  const waits: number[] = []
  if (view.known === 'one' && view.clock.mode === 'live' && view.clock.status === 'ready')
    waits.push(1_000 - (Math.max(0, at - view.at) % 1_000))
  if (rate.some(([when]) => when > at - RATE_SPAN_MS)) waits.push(RATE_EVERY_MS)
  if (notice) waits.push(Math.max(0, notice.until - at))
  return waits.length > 0 ? Math.min(...waits) : null
}
