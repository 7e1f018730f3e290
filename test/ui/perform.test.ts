import { afterEach, expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { type DaemonCommand, perform } from '../../src/ui/perform.ts'
import { type FakeServer, fakeServer, json } from '../client/server.ts'
import { NOW, sampleClock } from './samples.ts'

let server: FakeServer
afterEach(() => server.close())

const list = (...data: object[]) => ({ object: 'list', url: '', has_more: false, data, livemode: false })
const summary = { jobs: 2, events: 12, invoices_paid: 1, payments_failed: 1, stopped_on: null }
const merchant = 'mer_1'

async function outcome(
  command: DaemonCommand,
  body: object,
  status = 200,
  signal = new AbortController().signal,
) {
  server = await fakeServer((_request, response) => json(response, status, body))
  const action = await perform(new Client({ url: server.url, token: null }), command, signal)
  return { action, asked: `${server.requests[0]?.method} ${server.requests[0]?.url}` }
}

test.each<[command: DaemonCommand, body: object, asked: string, text: string]>([
  [
    { do: 'advance', merchant, target: { by: '1mo' } },
    list(sampleClock({ summary })),
    'POST /_paytwin/clock/advance',
    'Advanced to 2026-01-31T10:00:00Z: 2 jobs, 12 events, 1 paid invoice, 1 failed payment.',
  ],
  [
    { do: 'advance', merchant, target: { to: NOW } },
    list(sampleClock({ summary: { ...summary, jobs: 1, invoices_paid: 0, payments_failed: 0 } })),
    'POST /_paytwin/clock/advance',
    'Advanced to 2026-01-31T10:00:00Z: 1 job, 12 events.',
  ],
  [
    { do: 'freeze', merchant },
    list(sampleClock()),
    'POST /_paytwin/clock/freeze',
    'The clock is frozen at 2026-01-31T10:00:00Z.',
  ],
  [
    { do: 'unfreeze', merchant },
    list(sampleClock()),
    'POST /_paytwin/clock/unfreeze',
    'The clock runs from 2026-01-31T10:00:00Z.',
  ],
  [
    { do: 'cancel', merchant },
    list(sampleClock()),
    'POST /_paytwin/clock/cancel',
    'The advance was canceled.',
  ],
])('%o', async (command, body, asked, text) => {
  const { data: clocks } = body as { data: unknown }
  expect(await outcome(command, body)).toEqual({ asked, action: { kind: 'clock_changed', clocks, text } })
})

test.each([
  [[{ due: NOW }], { due: NOW }],
  [[], null],
])('what comes next of %j', async (data, next) => {
  expect(await outcome({ do: 'read_upcoming', merchant }, list(...data))).toEqual({
    asked: 'GET /_paytwin/upcoming?merchant=mer_1&limit=1',
    action: { kind: 'upcoming', next },
  })
})

test('a refusal is a notice, and so is an unreachable daemon', async () => {
  const error = { error: { code: 'parameter_invalid', message: 'Not forward.' }, livemode: false }
  const { action } = await outcome({ do: 'advance', merchant, target: { by: '1h' } }, error, 400)
  expect(action).toEqual({ kind: 'notice', text: 'Not forward.', isError: true })
  const nobody = new Client({ url: 'http://127.0.0.1:1', token: null })
  const away = await perform(nobody, { do: 'freeze', merchant }, new AbortController().signal)
  expect(away).toMatchObject({ kind: 'notice', isError: true, text: expect.stringContaining('ECONNREFUSED') })
})

test('quitting does not wait for an advance', async () => {
  server = await fakeServer(() => quitting.abort())
  const quitting = new AbortController()
  const client = new Client({ url: server.url, token: null })
  const action = await perform(client, { do: 'advance', merchant, target: { by: '1y' } }, quitting.signal)
  expect(action).toMatchObject({ kind: 'notice', isError: true })
})
