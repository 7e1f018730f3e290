import { escapeControls } from '../../text/display.ts'
import { cut, widthOf } from '../../ui/fit.ts'
import { type Span, textOf } from '../../ui/span.ts'

/** A column of a table. On a narrow terminal some columns are omitted or truncated; a pipe has all of them in full. */
export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => Span
  /** The minimum width of the column when it is truncated. Without it, the column is never truncated. */
  readonly minWidth?: number
  /** The order in which columns are omitted: 1 first. Without it, the column is never omitted. */
  readonly omit?: number
}

const GAP = 2

/** Columns are omitted so that cells up to this width, such as email addresses and paths, are shown in full. */
const FULL_WIDTH = 40

/** A table that fits the terminal: its escaped titles and cells, and the width of each column. */
export type FittedTable = { readonly rows: readonly (readonly Span[])[]; readonly widths: readonly number[] }

type Measured<Row> = { readonly column: Column<Row>; readonly cells: readonly Span[]; readonly width: number }

/**
 * Fits a table to a width. First the columns with `omit` are left out, the lowest number first, until all other cells fit in
 * full or have `FULL_WIDTH`. If that is not enough, the columns with `minWidth` are truncated, the widest first. Other columns,
 * such as IDs, are never shortened.
 * @param columns - the width of the terminal
 */
export function fitTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): FittedTable {
  const measured = shown(
    columns.map((column) => measure(column, rows)),
    width,
  )
  const widths = shrunk(measured, width)
  const cells = measured.map(({ cells: own }, index) =>
    own.map((cell) => shortened(cell, widths[index] ?? 0)),
  )
  const count = rows.length + 1
  return {
    widths,
    rows: Array.from({ length: count }, (_, row) => cells.map((own) => own[row] ?? '')),
  }
}

function measure<Row>(column: Column<Row>, rows: readonly Row[]): Measured<Row> {
  const title: Span = { text: column.title, colour: 'bold' }
  const cells = [title, ...rows.map((row) => escaped(column.cell(row)))]
  return { column, cells, width: Math.max(...cells.map((cell) => widthOf(textOf(cell)))) }
}

/** Leaves out columns until the rest fits without truncating a cell below its full width. */
function shown<Row>(all: readonly Measured<Row>[], width: number): readonly Measured<Row>[] {
  const optional = all
    .filter(({ column }) => column.omit !== undefined)
    .sort((left, right) => (left.column.omit ?? 0) - (right.column.omit ?? 0))
  let kept = all
  while (total(kept.map(fullWidthOf)) > width && optional.length > 0) {
    const omitted = optional.shift()
    kept = kept.filter((column) => column !== omitted)
  }
  return kept
}

/** Narrows the columns that can be truncated, the widest first, until all fit. */
function shrunk<Row>(columns: readonly Measured<Row>[], width: number): number[] {
  const widths = columns.map((column) => column.width)
  for (let excess = total(widths) - width; excess > 0; excess -= 1) {
    const room = columns.map((column, index) =>
      (widths[index] ?? 0) > minWidthOf(column) ? (widths[index] ?? 0) : 0,
    )
    const widest = room.indexOf(Math.max(...room))
    if (!room[widest]) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

const minWidthOf = <Row>({ column, width }: Measured<Row>): number =>
  column.minWidth === undefined ? width : Math.min(width, Math.max(column.minWidth, column.title.length))

const fullWidthOf = <Row>({ column, width }: Measured<Row>): number =>
  column.minWidth === undefined ? width : Math.min(width, Math.max(column.minWidth, FULL_WIDTH))

const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + GAP, -GAP)

const withText = (span: Span, text: string): Span => (typeof span === 'string' ? text : { ...span, text })
const escaped = (span: Span): Span => withText(span, escapeControls(textOf(span)))

function shortened(span: Span, width: number): Span {
  const text = textOf(span)
  return widthOf(text) <= width ? span : withText(span, `${cut(text, width - 1)}…`)
}
