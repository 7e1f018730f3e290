import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { type Column, Output } from '../../../src/cli/show/output.ts'
import { recordedIo } from '../terminal.ts'

type Row = { name: string; amount: string }
const COLUMNS: readonly Column<Row>[] = [
  { title: 'NAME', cell: ({ name }) => ({ text: name, colour: 'green' }) },
  { title: 'AMOUNT', cell: ({ amount }) => amount },
]
const ROWS: readonly Row[] = [
  { name: 'a', amount: '1.00' },
  { name: 'longer', amount: '20.00' },
]

test('a table on a terminal has titles, columns and colours', () => {
  const { io, written } = recordedIo({ isTerminal: true })
  new Output(io).table(COLUMNS, ROWS, 'Nothing.')
  expect(written.stdout).toBe(
    [
      '\u001b[1mNAME\u001b[0m    \u001b[1mAMOUNT\u001b[0m',
      '\u001b[32ma\u001b[0m       1.00',
      '\u001b[32mlonger\u001b[0m  20.00',
      '',
    ].join('\n'),
  )
})

test('columns of a table align behind wide characters', () => {
  const { io, written } = recordedIo({ isTerminal: true })
  const names = ['日本', 'e\u0301', '👩‍💻', 'longer']
  new Output(io).table(
    COLUMNS,
    names.map((name) => ({ name, amount: '1' })),
    'Nothing.',
  )
  const rows = written.stdout.split('\n').slice(1, -1)
  expect(rows.map((row) => row.slice(row.lastIndexOf('m') + 1))).toEqual([
    '    1',
    '       1',
    '      1',
    '  1',
  ])
})

test.each([
  ['in a pipe', { isTerminal: false }],
  ['with NO_COLOR', { isTerminal: true, env: { NO_COLOR: '1' } }],
])('a table %s is rows of fields separated by tabs', (_where, given) => {
  const { io, written } = recordedIo(given)
  new Output(io).table(COLUMNS, ROWS, 'Nothing.')
  expect(written.stdout).toBe('a\t1.00\nlonger\t20.00\n')
})

test('an empty table is a sentence on a terminal, and nothing if plain', () => {
  const terminal = recordedIo({ isTerminal: true })
  new Output(terminal.io).table(COLUMNS, [], 'Nothing.')
  expect(terminal.written.stdout).toContain('Nothing.')

  const pipe = recordedIo()
  new Output(pipe.io).table(COLUMNS, [], 'Nothing.')
  expect(pipe.written.stdout).toBe('')
})

test('an empty NO_COLOR counts as unset', () => {
  const { io, written } = recordedIo({ isTerminal: true, env: { NO_COLOR: '' } })
  new Output(io).line({ text: 'red', colour: 'red' })
  expect(written.stdout).toBe('\u001b[31mred\u001b[0m\n')
})

test.each([true, false])('control characters never get through (terminal: %s)', (isTerminal) => {
  const { io, written } = recordedIo({ isTerminal, env: { NO_COLOR: '1' } })
  const evil = '\u001b]0;title\u0007\ttab\nline'
  const out = new Output(io)
  out.line(evil, { text: evil, colour: 'red' })
  out.fields([['name', evil]])
  out.table([{ title: 'T', cell: () => evil }], [{}, {}], '')
  out.note(evil)
  out.json({ evil })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  expect(written.stdout + written.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  expect(written.stdout.split('\n').length).toBeGreaterThan(1)
})

test('JSON is one line in a pipe, and indented on a terminal', () => {
  const pipe = recordedIo()
  new Output(pipe.io, { json: true }).show({ a: 1 }, () => expect.unreachable())
  expect(pipe.written.stdout).toBe('{"a":1}\n')

  const terminal = recordedIo({ isTerminal: true })
  new Output(terminal.io, { json: true }).show({ a: 1 }, () => expect.unreachable())
  expect(terminal.written.stdout).toBe('{\n  "a": 1\n}\n')
})

test('there is no progress on stderr with --json', () => {
  const { io } = recordedIo({ isTerminal: true })
  expect(new Output(io).isWatched).toBe(true)
  expect(new Output(io, { json: true }).isWatched).toBe(false)
  expect(new Output(recordedIo().io).isWatched).toBe(false)
})

test('fields are printed one per line', () => {
  const { io, written } = recordedIo()
  new Output(io).fields([
    ['id', 'mer_1'],
    ['name', 'Ada'],
  ])
  expect(written.stdout).toBe('id: mer_1\nname: Ada\n')
})

test('an endless command waits while more than 32 Mi characters are unread, until they are read or it is interrupted', async () => {
  let isRead = () => {}
  const stdout = new Writable({
    decodeStrings: false,
    write: (_text, _encoding, done) => {
      isRead = done
    },
  })
  const out = new Output({ ...recordedIo().io, stdout })
  const interrupted = new AbortController()
  out.line('x'.repeat(32 * 1_048_576 - 1))
  expect(out.isBehind).toBe(false)
  await out.room(interrupted.signal)

  out.line('x')
  expect(out.isBehind).toBe(true)
  const order: string[] = []
  const waiting = out.room(interrupted.signal).then(() => order.push('room'))
  const reading = new Promise(setImmediate).then(() => {
    order.push('read')
    isRead()
    setImmediate(() => {
      isRead()
      setImmediate(() => isRead())
    })
  })
  await Promise.all([reading, waiting])
  expect(order).toEqual(['read', 'room'])
  expect(out.isBehind).toBe(false)

  out.line('x'.repeat(32 * 1_048_576))
  const ended = out.room(interrupted.signal)
  interrupted.abort()
  await ended
  expect(out.isBehind).toBe(true)
  await out.room(interrupted.signal)
})
