import { escapeControls, toJson } from '../../text/display.ts'
import { widthOfAll } from '../../ui/fit.ts'
import { coloured, type Span, textOf } from '../../ui/span.ts'
import { type Io, variable } from '../io.ts'
import type { Column } from './fit-columns.ts'
import { fitTable } from './fit-columns.ts'

export type { Colour, Span } from '../../ui/span.ts'
export type { Column } from './fit-columns.ts'

/** The maximum number of characters that may wait for the reader of stdout before an endless command pauses. */
const MAX_WAITING = 32 * 1_048_576

/**
 * Prints a command's result: JSON with --json, tables and colours on a terminal, and otherwise (in a pipe or with NO_COLOR)
 * plain lines whose fields are separated by tabs.
 * See docs/contract/command-line.md#output.
 */
export class Output {
  /** Whether to print JSON. */
  readonly isJson: boolean
  /** Whether stderr is a terminal that may show progress. */
  readonly isWatched: boolean
  /** Whether to print plain lines: fields separated by tabs, and no colours. */
  readonly isPlain: boolean
  readonly #io: Io

  constructor(io: Io, { json = false }: { json?: boolean | undefined } = {}) {
    this.#io = io
    this.isJson = json
    this.isWatched = !json && io.stderr.isTTY === true
    this.isPlain = io.stdout.isTTY !== true || variable(io, 'NO_COLOR') !== undefined
  }

  /** The width of the terminal in columns; null if stdout is no terminal. */
  get width(): number | null {
    const { isTTY, columns = 80 } = this.#io.stdout
    return isTTY ? columns : null
  }

  /** Whether too much waits for the reader of stdout: a pager can pause for any time, and a pipe keeps only some 64 KiB. */
  get isBehind(): boolean {
    return (this.#io.stdout.writableLength ?? 0) > MAX_WAITING
  }

  /** Resolves when more may be printed: at once unless too much waits, otherwise when it is read or the signal aborts. */
  async room(signal: AbortSignal): Promise<void> {
    if (!this.isBehind || signal.aborted) return
    await new Promise<void>((resolve) => {
      const end = () => {
        signal.removeEventListener('abort', end)
        resolve()
      }
      signal.addEventListener('abort', end)
      this.#io.stdout.write('', end)
    })
  }

  /** Prints an API response: unchanged with --json, otherwise through `forPeople`. */
  show<ResponseBody>(response: ResponseBody, forPeople: (response: ResponseBody) => void): void {
    if (this.isJson) this.json(response)
    else forPeople(response)
  }

  /** Prints one JSON value, indented on a terminal. */
  json(value: unknown, indent = this.#io.stdout.isTTY ? 2 : 0): void {
    this.#write(toJson(value, indent))
  }

  line(...spans: readonly Span[]): void {
    this.#write(spans.map((span) => this.#paint(span)).join(''))
  }

  /** Prints a note to stderr, apart from the result. */
  note(text: string): void {
    this.#io.stderr.write(`${escapeControls(text)}\n`)
  }

  /**
   * Prints a table with titles that fits the terminal, or rows alone if plain. `none` is printed instead of an empty table,
   * unless plain.
   */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], none: string): void {
    if (this.isPlain) {
      for (const row of rows)
        this.#write(columns.map(({ cell }) => escapeControls(textOf(cell(row)))).join('\t'))
    } else if (rows.length === 0) {
      this.line({ text: none, colour: 'dim' })
    } else {
      const table = fitTable(columns, rows, this.width ?? Number.POSITIVE_INFINITY)
      for (const row of table.rows)
        this.line(...row.flatMap((span, index) => padded(span, index, table.widths)))
    }
  }

  /** Prints an object's fields, one per line. */
  fields(fields: readonly (readonly [name: string, value: Span])[]): void {
    const width = Math.max(...fields.map(([name]) => name.length)) + 2
    for (const [name, value] of fields) {
      if (this.isPlain) this.line(`${name}: `, value)
      else this.line({ text: name.padEnd(width), colour: 'dim' }, value)
    }
  }

  #paint(span: Span): string {
    const text = escapeControls(textOf(span))
    return typeof span === 'string' || this.isPlain ? text : coloured(text, span.colour)
  }

  #write(line: string): void {
    this.#io.stdout.write(`${line}\n`)
  }
}

/** Returns a cell with the spaces up to the next column; the last cell has none. */
function padded(span: Span, index: number, widths: readonly number[]): Span[] {
  const isLast = index === widths.length - 1
  return isLast ? [span] : [span, ' '.repeat((widths[index] ?? 0) - widthOfAll([span]) + 2)]
}
