import { expect, test } from 'vitest'
import { readLogRecord } from '../../src/text/log-line.ts'

const at = { level: 'info', time: '2026-01-31T10:00:00.000Z' }

test('a record is split into its message and its details', () => {
  expect(readLogRecord({ ...at, msg: 'caught up', merchant: 'mer_1', jobs: 3, stopped_on: null })).toEqual({
    time: '2026-01-31T10:00:00.000Z',
    level: 'info',
    text: 'caught up merchant=mer_1 jobs=3 stopped_on=null',
    stack: [],
  })
})

test('the stack of an error is separate', () => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at here' }
  expect(readLogRecord({ ...at, level: 'error', err, msg: 'committing' })).toMatchObject({
    text: 'committing',
    stack: ['  Error: no', '      at here'],
  })
})

test('the text of a record without a message is its details', () => {
  expect(readLogRecord({ ...at, jobs: 1 }).text).toBe('jobs=1')
})

test('a damaged record is shown as it is', () => {
  const odd = { toString: 1 }
  expect(readLogRecord({ time: odd, level: odd, msg: odd, err: { stack: odd } })).toEqual({
    time: '{"toString":1}',
    level: '{"toString":1}',
    text: '{"toString":1}',
    stack: ['  {"toString":1}'],
  })
})
