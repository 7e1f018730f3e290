import { expect, test } from 'vitest'
import { Output } from '../../../src/cli/show/output.ts'
import { columnsFor, REQUEST_COLUMNS, requestLine } from '../../../src/cli/show/request-line.ts'
import type { LoggedRequest } from '../../../src/client/types.ts'
import { recordedIo } from '../terminal.ts'

const aRequest = (given: Partial<LoggedRequest> = {}): LoggedRequest => ({
  id: 'req_1',
  object: 'request',
  time: 1_769_853_600_042,
  method: 'POST',
  path: '/v1/payment_intents',
  status: 201,
  duration_ms: 1.25,
  key: 'sk_test_…abcd',
  replayed: false,
  code: null,
  ignored_params: [],
  merchant_id: 'mer_1',
  ...given,
})

function printed(request: LoggedRequest, { isTerminal = true } = {}): string {
  const { io, written } = recordedIo({ isTerminal })
  new Output(io).line(...requestLine(request))
  return written.stdout
}

test('the lines of requests are aligned', () => {
  const shown = [
    printed(aRequest(), { isTerminal: false }),
    printed(aRequest({ method: 'GET', path: '/v1/x', duration_ms: 120, key: null, status: 401 }), {
      isTerminal: false,
    }),
  ]
  expect(shown.map((line) => line.replaceAll(/ {2,}/g, '  '))).toEqual([
    '2026-01-31T10:00:00.042Z  201  POST  /v1/payment_intents  1.3 ms  req_1  sk_test_…abcd\n',
    '2026-01-31T10:00:00.042Z  401  GET  /v1/x  120.0 ms  req_1  no key\n',
  ])
  for (const part of ['/v1/', ' ms', 'req_1']) {
    expect(shown[0]?.indexOf(part)).toBe(shown[1]?.indexOf(part))
  }
})

test.each([
  [200, 32],
  [201, 32],
  [400, 33],
  [402, 33],
  [404, 33],
  [429, 33],
  [500, 31],
])('the status %i has the colour of its class', (status, colour) => {
  expect(printed(aRequest({ status }))).toContain(`\u001b[${colour}m${status}\u001b[0m`)
})

test.each([
  [{ code: 'card_declined', status: 402 }, 'card_declined'],
  [{ replayed: true }, 'replayed'],
  [{ ignored_params: ['zebra', 'yak'] }, 'ignored zebra yak'],
  [{ code: 'card_declined', status: 402, replayed: true }, 'card_declined, replayed'],
])('%j is worth the note %s', (given, note) => {
  expect(printed(aRequest(given), { isTerminal: false })).toMatch(new RegExp(` {2}${note}\\n$`))
})

test('control characters of a path never reach the terminal', () => {
  expect(printed(aRequest({ path: '/v1/\u001b[31m' }), { isTerminal: false })).toContain('/v1/\\u001b[31m')
})

test('plain, its fields are separated by tabs', () => {
  const { io, written } = recordedIo()
  const out = new Output(io)
  out.table(
    REQUEST_COLUMNS,
    [aRequest(), aRequest({ key: null, merchant_id: null, code: 'x', status: 404 })],
    '',
  )
  expect(written.stdout).toBe(
    [
      '2026-01-31T10:00:00.042Z\tPOST\t/v1/payment_intents\t201\t1.3\treq_1\tsk_test_…abcd\tmer_1\t–\n',
      '2026-01-31T10:00:00.042Z\tPOST\t/v1/payment_intents\t404\t1.3\treq_1\t–\t–\tx\n',
    ].join(''),
  )
})

test('a table on a terminal has a merchant column only if there are several', () => {
  const titles = (...merchants: (string | null)[]) =>
    columnsFor(merchants.map((merchant_id) => aRequest({ merchant_id }))).map(({ title }) => title)
  expect(titles('mer_1', 'mer_1', null)).not.toContain('MERCHANT')
  expect(titles('mer_1', 'mer_2')).toContain('MERCHANT')
})
