import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { type Column, Output } from '../../../src/cli/show/output.ts'
import { recordedIo } from '../terminal.ts'

type Row = { id: string; path: string; note: string; created: string }
const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'PATH', cell: ({ path }) => path, minWidth: 8 },
  { title: 'CREATED', cell: ({ created }) => created, omit: 1 },
  { title: 'NOTE', cell: ({ note }) => note, omit: 2, minWidth: 6 },
]
const ROW: Row = {
  id: 'req_01234567',
  path: '/v1/customers?limit=100',
  created: '2026-01-31',
  note: 'replayed',
}

function linesAt(columns: number, rows: readonly Row[] = [ROW]): string[] {
  const { io, written } = recordedIo({ isTerminal: true, columns })
  new Output(io).table(COLUMNS, rows, 'Nothing.')
  return stripVTControlCharacters(written.stdout).trimEnd().split('\n')
}

test.each([
  [80, 'req_01234567  /v1/customers?limit=100  2026-01-31  replayed'],
  [59, 'req_01234567  /v1/customers?limit=100  2026-01-31  replayed'],
  [58, 'req_01234567  /v1/customers?limit=100  replayed'],
  [47, 'req_01234567  /v1/customers?limit=100  replayed'],
  [46, 'req_01234567  /v1/customers?limit=100'],
  [36, 'req_01234567  /v1/customers?limit=1…'],
  [22, 'req_01234567  /v1/cus…'],
])('at %i columns a row is %s', (columns, line) => {
  expect(linesAt(columns)[1]).toBe(line)
})

test('a long text is truncated, up to 40 columns, before another column is omitted', () => {
  const row = { ...ROW, path: `/v1/customers?email=${'a'.repeat(40)}` }
  expect(linesAt(76, [row])[1]).toBe(`req_01234567  ${row.path.slice(0, 39)}…  2026-01-31  replayed`)
  expect(linesAt(75, [row])[1]).toBe(`req_01234567  ${row.path.slice(0, 50)}…  replayed`)
})

test('an ID is never shortened, however narrow the terminal is', () => {
  expect(linesAt(10)[1]).toBe('req_01234567  /v1/cus…')
})

test('a truncated text is not split within a wide character, and columns stay aligned', () => {
  const rows = [{ ...ROW, path: '日本語'.repeat(14), note: 'x' }, ROW]
  expect(linesAt(64, rows)).toEqual([
    `ID            ${'PATH'.padEnd(40)}  NOTE`,
    `req_01234567  ${'日本語'.repeat(6)}日…   x`,
    `req_01234567  ${ROW.path.padEnd(40)}  replayed`,
  ])
})

test('a pipe has every column in full', () => {
  const { io, written } = recordedIo()
  new Output(io).table(COLUMNS, [ROW], 'Nothing.')
  expect(written.stdout).toBe('req_01234567\t/v1/customers?limit=100\t2026-01-31\treplayed\n')
})
