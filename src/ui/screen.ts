const ENTER = '\u001b[?1049h'
const LEAVE = '\u001b[?1049l'
const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
/** Disables wrapping, because the terminal may consider a character wider than we do. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'
const CLEAR = '\u001b[2J'
const CLEAR_LINE = '\u001b[2K'
/** Terminals with synchronized output show a frame only when it is complete. */
const BEGIN_FRAME = '\u001b[?2026h'
const END_FRAME = '\u001b[?2026l'

const moveTo = (row: number): string => `\u001b[${row + 1};1H`

/** The part of a terminal that the screen uses. */
export type TerminalOutput = {
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

const DEFAULT_SIZE = { columns: 80, rows: 24 }
/** paytwin: the part of a terminal that is used. One can claim 65,535 columns and rows, and a frame is laid out for all of them. */
const MAX_SIZE = { columns: 1_000, rows: 500 }

/**
 * Paints frames on the terminal's alternate screen, writing only the lines that changed. Ink writes to it instead of stdout,
 * in Ink's debug mode, where each write is a whole frame. Ink's own full-screen drawing would clear the screen for each
 * frame, and the scrollback with it.
 */
export class Screen {
  readonly #output: TerminalOutput
  #painted: readonly string[] = []
  #isEntered = false

  constructor(output: TerminalOutput) {
    this.#output = output
  }

  get columns(): number {
    return Math.min(this.#output.columns || DEFAULT_SIZE.columns, MAX_SIZE.columns)
  }

  get rows(): number {
    return Math.min(this.#output.rows || DEFAULT_SIZE.rows, MAX_SIZE.rows)
  }

  /** Switches to the alternate screen. leave() undoes every change that is made here. */
  enter(): void {
    this.#isEntered = true
    this.#output.write(ENTER + HIDE_CURSOR + NO_WRAP + CLEAR)
  }

  /** Restores the terminal. Further calls have no effect. */
  leave(): void {
    if (!this.#isEntered) return
    this.#isEntered = false
    this.#output.write(WRAP + SHOW_CURSOR + LEAVE)
  }

  /** Clears the screen, so that the next frame is painted completely: after a resize, or after other output. */
  forget(): void {
    this.#painted = []
    if (this.#isEntered) this.#output.write(CLEAR)
  }

  /** Paints a frame: lines separated by line feeds. The name is the one of a stream, because Ink writes to it. */
  readonly write = (frame: string): boolean => {
    if (!this.#isEntered) return true
    const lines = frame.split('\n').slice(0, this.rows)
    const height = Math.max(lines.length, this.#painted.length)
    let changes = ''
    for (let row = 0; row < height; row += 1) {
      const line = lines[row] ?? ''
      if (line !== (this.#painted[row] ?? '')) changes += moveTo(row) + CLEAR_LINE + line
    }
    this.#painted = lines
    if (changes !== '') this.#output.write(BEGIN_FRAME + changes + END_FRAME)
    return true
  }

  /** Repaints one line of the current frame. */
  paintLine(row: number, line: string): void {
    if (!this.#isEntered || row >= this.#painted.length) return
    this.#painted = this.#painted.with(row, line)
    this.#output.write(BEGIN_FRAME + moveTo(row) + CLEAR_LINE + line + END_FRAME)
  }

  /** Ignores Ink's listeners for resizes; Ink gets the new size with the next frame. */
  on(): this {
    return this
  }

  off(): this {
    return this
  }
}
