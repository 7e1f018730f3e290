import { toJson, visible } from '../text/display.ts'
import { widthOfAll } from '../ui/fit.ts'
import { coloured, type Span, textOf } from '../ui/span.ts'
import { type Io, variable } from './io.ts'

export type { Colour, Span } from '../ui/span.ts'

export type Column<Row> = { readonly title: string; readonly cell: (row: Row) => Span }

/**
 * What a command says: JSON for programs; tables and colours for people at a terminal; for pipes and NO_COLOR plain lines
 * whose fields are separated by tabs.
 * See docs/contract/command-line.md#output.
 */
export class Output {
  /** Whether programs read it. */
  readonly isJson: boolean
  /** Whether a person watches stderr, so that something may move there. */
  readonly isWatched: boolean
  /** Whether lines are to be plain: fields separated by tabs, and no colours. */
  readonly isPlain: boolean
  readonly #io: Io

  constructor(io: Io, { json = false }: { json?: boolean | undefined } = {}) {
    this.#io = io
    this.isJson = json
    this.isWatched = !json && io.stderr.isTTY === true
    this.isPlain = io.stdout.isTTY !== true || variable(io, 'NO_COLOR') !== undefined
  }

  /** How many columns a person's terminal has; null where nobody looks at columns. */
  get width(): number | null {
    const { isTTY, columns = 80 } = this.#io.stdout
    return isTTY ? columns : null
  }

  /** One answer of the API: as it came for programs, as `forPeople` writes it for people. */
  show<Answer>(answer: Answer, forPeople: (answer: Answer) => void): void {
    if (this.isJson) this.json(answer)
    else forPeople(answer)
  }

  /** One JSON value; indented where a person reads it. */
  json(value: unknown, indent = this.#io.stdout.isTTY ? 2 : 0): void {
    this.#write(toJson(value, indent))
  }

  line(...spans: readonly Span[]): void {
    this.#write(spans.map((span) => this.#paint(span)).join(''))
  }

  /** A line beside the result, on stderr. */
  note(text: string): void {
    this.#io.stderr.write(`${visible(text)}\n`)
  }

  /** Rows below their titles; plain, rows alone. `none` is said to people when there are no rows. */
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], none: string): void {
    if (this.isPlain) {
      for (const row of rows) this.#write(columns.map(({ cell }) => visible(textOf(cell(row)))).join('\t'))
    } else if (rows.length === 0) {
      this.line({ text: none, colour: 'dim' })
    } else {
      const titles = columns.map(({ title }): Span => ({ text: title, colour: 'bold' }))
      const cells = [titles, ...rows.map((row) => columns.map(({ cell }) => cell(row)))]
      const widths = columns.map((_, index) =>
        Math.max(...cells.map((row) => widthOfAll(row.slice(index, index + 1)))),
      )
      for (const row of cells) this.line(...row.flatMap((span, index) => padded(span, index, widths)))
    }
  }

  /** An object's fields, one a line. */
  fields(fields: readonly (readonly [name: string, value: Span])[]): void {
    const width = Math.max(...fields.map(([name]) => name.length)) + 2
    for (const [name, value] of fields) {
      if (this.isPlain) this.line(`${name}: `, value)
      else this.line({ text: name.padEnd(width), colour: 'dim' }, value)
    }
  }

  #paint(span: Span): string {
    const text = visible(textOf(span))
    return typeof span === 'string' || this.isPlain ? text : coloured(text, span.colour)
  }

  #write(line: string): void {
    this.#io.stdout.write(`${line}\n`)
  }
}

/** A cell and the blanks that bring the next one into its column; the last one needs none. */
function padded(span: Span, index: number, widths: readonly number[]): Span[] {
  const isLast = index === widths.length - 1
  return isLast ? [span] : [span, ' '.repeat((widths[index] ?? 0) - widthOfAll([span]) + 2)]
}
