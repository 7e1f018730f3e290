import { isMet, type Measurement, median, ratiosOf } from './result.ts'

/** The result of a part. */
export type PartReport = {
  readonly part: string
  readonly seconds: number
  /** The share of all processors that other processes used meanwhile, in percent; null if unknown. */
  readonly othersPercent: number | null
  readonly measurements: readonly Measurement[]
  readonly text?: string
}

const HEADINGS = ['part', 'what', 'paytwin', 'floor', 'ratio', 'goal', 'met', 'others'] as const

/** Formats a table for people: medians, with the minimum and the maximum of the rounds in parentheses. */
export function tableOf(reports: readonly PartReport[]): string {
  const rows = reports.flatMap(({ part, othersPercent, measurements }) =>
    measurements.map((measurement, index) => [
      index === 0 ? part : '',
      measurement.what,
      ...cellsOf(measurement),
      index === 0 ? shareOf(othersPercent) : '',
    ]),
  )
  return aligned([[...HEADINGS], ...rows])
}

const shareOf = (percent: number | null) => (percent === null ? 'unknown' : `${percent.toFixed(0)} %`)

function cellsOf(measurement: Measurement): string[] {
  const { unit, paytwin, floor = [], goals } = measurement
  const met = isMet(measurement)
  return [
    withSpread(paytwin, unit) || 'unknown',
    withSpread(floor, unit) || '–',
    withSpread(ratiosOf(measurement), '×') || '–',
    goals.map(({ of, is, limit }) => `${is} ${quantity(limit, of === 'ratio' ? '×' : unit)}`).join(', ') ||
      '–',
    met === null ? '–' : met ? 'yes' : 'NO',
  ]
}

/** Formats numbers: `1,234 /s (1,200–1,300)`; empty without numbers. */
function withSpread(values: readonly number[], unit: string): string {
  if (values.length === 0) return ''
  const middle = quantity(median(values), unit)
  return values.length === 1
    ? middle
    : `${middle} (${rounded(Math.min(...values))}–${rounded(Math.max(...values))})`
}

const quantity = (value: number, unit: string) => `${rounded(value)}${unit === '×' ? '×' : ` ${unit}`}`

/** Formats a number with at least three digits and at most two decimals. */
export function rounded(value: number): string {
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { maximumFractionDigits: decimals })
}

/** Formats rows in columns of equal width. The first row has the headings. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  const [headings = [], ...rest] = rows
  return [line(headings), widths.map((width) => '─'.repeat(width)).join('  '), ...rest.map(line)].join('\n')
}
