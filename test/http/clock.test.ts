import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatInstant } from '../../src/core/calendar.ts'
import { subscribe as subscribeCard } from '../scenarios/story.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import {
  contents,
  eventsOf,
  expectRefused,
  idsOf,
  invalid,
  missing,
  rows,
  typesOf,
  unchanged,
} from './support.ts'

const NOW = 1769853600 // 2026-01-31T10:00:00Z
const ADVANCE = '/v1/test_helpers/clock/advance'

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

const subscribe = async (outcomes?: string[], more: Body = {}): Promise<Body> =>
  (await subscribeCard(twin, { outcomes, ...more })).subscription

const clock = () => twin.get('/v1/test_helpers/clock')
const refused = (body: unknown, param: string) => expectRefused(twin, ['POST', ADVANCE, body], invalid(param))

test('the clock is shown whole', async () => {
  expect(await clock()).toEqual({
    id: expect.stringMatching(/^clock_[A-Za-z0-9]{14,}$/),
    object: 'clock',
    created: NOW,
    mode: 'frozen',
    now: NOW,
    status: 'ready',
    target: null,
    livemode: false,
    merchant_id: twin.sandbox.merchant.settings.id,
  })
})

describe('an advance', () => {
  test.each<[Body, string]>([
    [{ by: '90s' }, '2026-01-31T10:01:30Z'],
    [{ by: '15m' }, '2026-01-31T10:15:00Z'],
    [{ by: '36h' }, '2026-02-01T22:00:00Z'],
    [{ by: '3d' }, '2026-02-03T10:00:00Z'],
    [{ by: '2w' }, '2026-02-14T10:00:00Z'],
    [{ by: '1mo' }, '2026-02-28T10:00:00Z'],
    [{ by: '13mo' }, '2027-02-28T10:00:00Z'],
    [{ by: '1y' }, '2027-01-31T10:00:00Z'],
    [{ by: 'P1M' }, '2026-02-28T10:00:00Z'],
    [{ by: 'P2M' }, '2026-03-31T10:00:00Z'],
    [{ by: 'P1Y' }, '2027-01-31T10:00:00Z'],
    [{ by: 'P1W' }, '2026-02-07T10:00:00Z'],
    [{ by: 'P1DT12H' }, '2026-02-01T22:00:00Z'],
    [{ by: 'PT36H' }, '2026-02-01T22:00:00Z'],
    [{ by: 'PT90S' }, '2026-01-31T10:01:30Z'],
    [{ by: 'P1Y2M3DT4H5M6S' }, '2027-04-03T14:05:06Z'],
    [{ to: NOW + 1 }, '2026-01-31T10:00:01Z'],
    [{ to: String(NOW + 1) }, '2026-01-31T10:00:01Z'],
    [{ to: '2026-02-28T10:00:00Z' }, '2026-02-28T10:00:00Z'],
    [{ to: '2026-02-28' }, '2026-02-28T00:00:00Z'],
    [{ to: '2026-02-28T10:00' }, '2026-02-28T10:00:00Z'],
    [{ to: '2026-02-28T10:00:00+02:00' }, '2026-02-28T08:00:00Z'],
    [{ to: '2026-02-28T10:00:00.999Z' }, '2026-02-28T10:00:00Z'],
    [{ to: '9999-12-31T23:59:59Z' }, '9999-12-31T23:59:59Z'],
  ])('with %j leads to %s', async (body, instant) => {
    const response = await twin.advance(body)
    expect(formatInstant(response.now)).toBe(instant)
    expect(response).toMatchObject({
      object: 'clock',
      mode: 'frozen',
      status: 'ready',
      target: null,
      summary: { jobs: 0, events: 0, invoices_paid: 0, payments_failed: 0, stopped_on: null },
    })
    expect(await clock()).not.toHaveProperty('summary')
  })

  test('returns its counts', async () => {
    await subscribe(['succeed', 'decline:lost_card', 'decline:lost_card'])
    const { now, summary } = await twin.advance({ by: '1mo' })
    expect(formatInstant(now)).toBe('2026-02-28T10:00:00Z')
    expect(summary).toEqual({ jobs: 1, events: 6, invoices_paid: 0, payments_failed: 1, stopped_on: null })
    // Two retries, the second of them successful, and a renewal.
    expect((await twin.advance({ by: '1mo' })).summary).toMatchObject({ jobs: 2, payments_failed: 1 })
  })

  test('by nothing or to the present moves nothing', async () => {
    await subscribe()
    for (const [body, param] of [
      [{ by: '0s' }, 'by'],
      [{ by: '0mo' }, 'by'],
      [{ by: 'PT0S' }, 'by'],
      [{ to: NOW }, 'to'],
      [{ to: formatInstant(NOW) }, 'to'],
    ] as const) {
      await refused(body, param)
    }
  })

  test('to the present is allowed while something is due there', async () => {
    const { id } = await subscribe([], { collection_method: 'send_invoice', days_until_due: 0 })
    expect((await twin.advance({ to: NOW })).summary).toMatchObject({ jobs: 1 })
    expect((await twin.get(`/v1/subscriptions/${id}`)).status).toBe('past_due')
    await refused({ to: NOW }, 'to')
  })

  test.each(
    rows<unknown>(
      NOW - 1,
      0,
      -1,
      1.5,
      2 ** 53,
      '2026-01-31T09:59:59Z',
      '2026-02-31T10:00:00Z',
      '2026-13-01',
      '2026-02-01T24:00:00Z',
      '2026-02-01T10:00:00z',
      '2026-2-1',
      'tomorrow',
      '',
      ' ',
      '-1',
      '1e12',
      'Infinity',
      '10000-01-01T00:00:00Z',
      '253402300800',
      '9'.repeat(400),
      true,
      null,
      [],
      {},
    ),
  )('to %j is refused', async (to) => {
    await refused({ to }, 'to')
  })

  test.each(
    rows<unknown>(
      '-1d',
      '+1d',
      '1',
      'd',
      '1 d',
      '1D',
      '1M',
      '1.5h',
      '1h30m',
      '1ms',
      'P',
      'PT',
      'P1',
      'P1H',
      'P-1D',
      'P1DT',
      'p1d',
      'P1M2Y',
      '',
      'forever',
      '999999999d',
      '999999999w',
      '999999999mo',
      '999999999y',
      '9999999999s',
      '7974y',
      'P99999999999999999999Y',
      'P99999999999999999999M',
      'PT99999999999999999999S',
      `P${'9'.repeat(400)}D`,
      `P${'9'.repeat(400)}Y`,
      90,
      true,
      null,
      [],
      {},
    ),
  )('by %j is refused', async (by) => {
    await refused({ by }, 'by')
  })

  test('needs a target, and one only', async () => {
    await expectRefused(twin, ['POST', ADVANCE, {}], missing('to'))
    await expectRefused(twin, ['POST', ADVANCE], missing('to'))
    await refused({ to: NOW + 1, by: '1d' }, 'by')
    await refused({ to: 'x', by: 'y' }, 'by')
  })

  test('goes no further than the year 9999', async () => {
    await twin.advance({ to: '9999-12-31T23:59:59Z' })
    await refused({ by: '1s' }, 'by')
    await refused({ to: '9999-12-31T23:59:59Z' }, 'to')
  })
})

test('one long advance and many short ones give the same history', async () => {
  const history = async (steps: readonly Body[]) => {
    const client = await startTwin({ seed: 'steps' })
    const price = await makePrice(client)
    const { customer, method } = await makeCustomer(client, { outcomes: ['succeed', 'decline:lost_card'] })
    const body = { customer: customer.id, currency: 'usd', default_payment_method: method.id }
    await client.post('/v1/subscriptions', { ...body, items: [{ price: price.id }] })
    for (const step of steps) await client.advance(step)
    const all = JSON.stringify(await contents(client), (key, value) => (key === 'request' ? null : value))
    await client.close()
    return JSON.parse(all)
  }
  const jump = await history([{ to: '2026-05-01' }])
  expect(
    await history(Array.from({ length: 89 }, () => ({ by: '1d' })).concat([{ to: '2026-05-01' } as never])),
  ).toEqual(jump)
})

test('reads are answered and writes wait while time moves', async () => {
  await subscribe()
  const advance = twin.advance({ by: '1y' })
  const write = twin.post('/v1/customers', { name: 'Later' })
  const [done, customer] = await Promise.all([advance, write])
  expect(customer.created).toBe(done.now)
  expect(idsOf((await twin.get('/v1/customers?limit=1')).data)).toEqual([customer.id])
})

test('an advance without a matching event emits nothing twice', async () => {
  await subscribe()
  const events = await eventsOf(twin, () => twin.advance({ by: '1mo' }))
  expect(typesOf(events)).toEqual([
    'invoice.created',
    'invoice.finalized',
    'invoice.paid',
    'payment_intent.succeeded',
    'charge.succeeded',
    'subscription.updated',
  ])
  await unchanged(twin, () => twin.request('POST', ADVANCE, { to: NOW }))
})

describe('an asynchronous advance', () => {
  test('is reported as running, and ends', async () => {
    await subscribe()
    const response = await twin.request('POST', ADVANCE, { by: '1mo', async: true })
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ object: 'clock', status: 'advancing', target: 1772272800 })
    expect(response.body).not.toHaveProperty('summary')
    expect((await twin.post('/v1/customers')).created).toBe(1772272800)
    expect(await clock()).toMatchObject({ status: 'ready', target: null, now: 1772272800 })
  })

  test('is refused as any other', async () => {
    await refused({ to: NOW, async: true }, 'to')
    await refused({ by: '1d', async: 'yes' }, 'async')
  })

  test('can be canceled at its current time', async () => {
    await subscribe()
    const { target } = await twin.post(ADVANCE, { to: '2526-01-01', async: true })
    await twin.post('/v1/test_helpers/clock/cancel')
    expect((await twin.post('/v1/customers')).created).toBeLessThan(target)
    expect(await clock()).toMatchObject({ status: 'ready', target: null })
  })
})
