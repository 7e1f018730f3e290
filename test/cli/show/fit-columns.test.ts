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
  [58, 'req_01234567  /v1/customers?limit=1…  2026-01-31  replayed'],
  [42, 'req_01234567  /v1/cus…  2026-01-31  repla…'],
  [41, 'req_01234567  /v1/customers?li…  replayed'],
  [30, 'req_01234567  /v1/cus…  repla…'],
  [29, 'req_01234567  /v1/customers?…'],
  [22, 'req_01234567  /v1/cus…'],
])('at %i columns a row is %s', (columns, line) => {
  expect(linesAt(columns)[1]).toBe(line)
})

test('an ID is never shortened, however narrow the terminal is', () => {
  expect(linesAt(10)[1]).toBe('req_01234567  /v1/cus…')
})

test('a truncated text is not split within a wide character, and columns stay aligned', () => {
  const rows = [{ ...ROW, path: '日本語日本語日本語日本語', note: 'x' }, ROW]
  expect(linesAt(36, rows)).toEqual([
    'ID            PATH          NOTE',
    'req_01234567  日本語日本…   x',
    'req_01234567  /v1/custome…  replayed',
  ])
})

test('a pipe has every column in full', () => {
  const { io, written } = recordedIo()
  new Output(io).table(COLUMNS, [ROW], 'Nothing.')
  expect(written.stdout).toBe('req_01234567\t/v1/customers?limit=100\t2026-01-31\treplayed\n')
})
