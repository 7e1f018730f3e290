/**
 * The rows of a table written as text, columns two or more spaces apart: so that a rule reads as in the contract.
 */
export function table<const Names extends readonly string[]>(
  names: Names,
  text: string,
): Record<Names[number], string>[] {
  return linesOf(text).map((line) => {
    const cells = line.split(/ {2,}/)
    if (cells.length !== names.length) throw new Error(`${names.length} columns expected: ${line}`)
    return Object.fromEntries(names.map((name, index) => [name, cells[index]])) as Record<
      Names[number],
      string
    >
  })
}

export type Move = { readonly from: string; readonly event: string; readonly to: string }

/** Parses a status table in text form: a row for each status, a column for each event, '-' for refused events. */
export function matrix(text: string): Move[] {
  const [head = '', ...rows] = linesOf(text)
  const [, ...events] = head.split(/ {2,}/)
  return rows.flatMap((row) => {
    const [from = '', ...cells] = row.split(/ {2,}/)
    if (cells.length !== events.length) throw new Error(`${events.length} events expected: ${row}`)
    return events.map((event, index) => ({ from, event, to: cells[index] ?? '' }))
  })
}

/** The lines of a text, without indentation and empty ones. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
