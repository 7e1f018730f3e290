const ENTER = '\u001b[?1049h'
const LEAVE = '\u001b[?1049l'
const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
/** What is too wide for a line is left out, whatever the terminal thinks of a character's width. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'
const CLEAR = '\u001b[2J'
const CLEAR_LINE = '\u001b[2K'
/** Terminals that know these show a frame when it is complete. */
const BEGIN_FRAME = '\u001b[?2026h'
const END_FRAME = '\u001b[?2026l'

const moveTo = (row: number): string => `\u001b[${row + 1};1H`

/** A terminal as the screen needs it. */
export type TerminalOutput = {
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

const USUAL = { columns: 80, rows: 24 }

/**
 * The terminal's other screen, on which frames are painted: each line to its place, and only lines that differ from what
 * is there. It is given to Ink in place of stdout (in Ink's debug mode, where each write is a whole frame): Ink's own way
 * to draw a full screen clears it each time, and the lines that one could have scrolled back to with it.
 */
export class Screen {
  readonly #output: TerminalOutput
  #painted: readonly string[] = []
  #isEntered = false

  constructor(output: TerminalOutput) {
    this.#output = output
  }

  get columns(): number {
    return this.#output.columns || USUAL.columns
  }

  get rows(): number {
    return this.#output.rows || USUAL.rows
  }

  /** Everything that changes the terminal is written here, and undone by leave(). */
  enter(): void {
    this.#isEntered = true
    this.#output.write(ENTER + HIDE_CURSOR + NO_WRAP + CLEAR)
  }

  /** Gives the terminal back as it was; more than once does no harm. */
  leave(): void {
    if (!this.#isEntered) return
    this.#isEntered = false
    this.#output.write(WRAP + SHOW_CURSOR + LEAVE)
  }

  /** Forgets what is on the screen, so that the next frame is painted whole: after a resize, or when others wrote there. */
  forget(): void {
    this.#painted = []
    if (this.#isEntered) this.#output.write(CLEAR)
  }

  /** Paints a frame: lines that are separated by line feeds. Source of the name: Ink writes to it. */
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

  /** Paints one line of the frame that is on the screen anew. */
  paintLine(row: number, line: string): void {
    if (!this.#isEntered || row >= this.#painted.length) return
    this.#painted = this.#painted.with(row, line)
    this.#output.write(BEGIN_FRAME + moveTo(row) + CLEAR_LINE + line + END_FRAME)
  }

  /** Ink listens for resizes: they reach it with the next frame instead. */
  on(): this {
    return this
  }

  off(): this {
    return this
  }
}
