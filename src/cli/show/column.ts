import type { Span } from '../../ui/span.ts'

/** A column of a table. On a narrow terminal some columns are omitted or truncated; a pipe has all of them in full. */
export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => Span
  /** The minimum width of the column when it is truncated. Without it, the column is never truncated. */
  readonly minWidth?: number
  /** The order in which columns are omitted: 1 first. Without it, the column is never omitted. */
  readonly omit?: number
}
