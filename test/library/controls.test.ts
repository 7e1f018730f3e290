import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Paytwin, RequestRefused } from '../../src/index.ts'
import { historyOf } from '../../src/library/event-history.ts'
import { open, subscribe } from './twin.ts'

const NOW = '2026-01-31T10:00:00Z'

describe('the clock', () => {
  test('moves by a duration, to a time, and to the next due job', async () => {
    const twin = await open({ now: NOW })
    await subscribe(twin)
    const first = await twin.clock.advance('1mo')
    expect(first).toEqual({
      now: new Date('2026-02-28T10:00:00Z'),
      jobs: expect.any(Number),
      events: expect.any(Number),
      invoices_paid: 1,
      payments_failed: 0,
      stopped_on: null,
    })
    await twin.clock.advanceTo(new Date('2026-03-01T00:00:00Z'))
    expect(twin.clock.now).toEqual(new Date('2026-03-01T00:00:00Z'))
    const [next] = await twin.clock.upcoming()
    expect(next).toMatchObject({ due: Date.parse('2026-03-31T10:00:00Z') / 1_000 })
    await twin.clock.advanceToNext()
    expect(twin.clock.now).toEqual(new Date('2026-03-31T10:00:00Z'))
  })

  test('advances while its time is polled without a pause', async () => {
    const twin = await open({ now: NOW })
    await subscribe(twin)
    let isOver = false
    const advance = twin.clock.advance('6mo').finally(() => {
      isOver = true
    })
    for (let asked = 0; !isOver && asked < 10_000; asked += 1) await twin.fetch('/v1/test_helpers/clock')
    expect(isOver).toBe(true)
    expect((await advance).invoices_paid).toBe(6)
  })

  test('says that the sandbox was closed during an advance', async () => {
    const twin = await open({ now: NOW })
    await subscribe(twin)
    const advance = expect(twin.clock.advance('100y')).rejects.toThrow('The sandbox was closed before')
    while (twin.clock.now.getTime() === Date.parse(NOW)) await setTimeout()
    await twin.close()
    await advance
  })

  test('stops at the first event of a type', async () => {
    const twin = await open({ now: NOW })
    await subscribe(twin, ['succeed', 'decline:insufficient_funds'])
    const { stopped_on, now } = await twin.clock.advance('1y', { stopOn: ['invoice.payment_failed'] })
    expect({ stopped_on, now }).toEqual({
      stopped_on: 'invoice.payment_failed',
      now: new Date('2026-02-28T10:00:00Z'),
    })
  })

  test('does not move back, and not without a due job', async () => {
    const twin = await open({ now: NOW })
    await expect(twin.clock.advanceTo('2025-01-01T00:00:00Z')).rejects.toThrow(RequestRefused)
    await expect(twin.clock.advance('soon')).rejects.toMatchObject({ code: 'parameter_invalid', param: 'by' })
    await expect(twin.clock.advanceToNext()).rejects.toThrow('No job is due')
  })
})

describe('events', () => {
  test('are listed in order: all, by types, and after another event', async () => {
    const twin = await open({ now: NOW })
    for (let made = 0; made < 230; made += 1) await twin.post('/v1/customers', { name: String(made) })
    const events = await twin.events.list({ type: 'customer.*' })
    expect(events.map(({ data }) => 'name' in data.object && data.object.name)).toEqual(
      Array.from({ length: 230 }, (_, made) => String(made)),
    )
    expect(await twin.events.list({ after: events[9], type: ['customer.created'] })).toEqual(events.slice(10))
    expect(await twin.events.list({ after: events[228]?.id })).toEqual(events.slice(229))
    expect(await twin.events.list({ after: events[229] })).toEqual([])
    await expect(twin.events.list({ after: 'evt_no' })).rejects.toMatchObject({ code: 'resource_missing' })
  })

  test('waitFor returns a past event at once', async () => {
    const twin = await open({ now: NOW })
    await subscribe(twin)
    const paid = await twin.events.waitFor('invoice.paid')
    expect(paid).toMatchObject({ type: 'invoice.paid', data: { object: { amount_paid: 2000 } } })
  })

  test('waitFor waits for a future event', async () => {
    const twin = await open({ now: NOW })
    await subscribe(twin)
    const paid = await twin.events.waitFor('invoice.paid')
    const waiting = twin.events.waitFor('invoice.paid', { after: paid })
    const march = twin.events.waitFor('invoice.*', {
      where: ({ type, created }) => type === 'invoice.paid' && created > Date.parse('2026-03-01') / 1_000,
    })
    await twin.clock.advance('1mo')
    expect((await waiting).created).toBe(Date.parse('2026-02-28T10:00:00Z') / 1_000)
    await twin.clock.advance('2mo')
    expect((await march).created).toBe(Date.parse('2026-03-31T10:00:00Z') / 1_000)
  })

  test('waitFor waits across a reset', async () => {
    const twin = await open({ now: NOW })
    const first = await twin.post<{ id: string }>('/v1/customers')
    const waiting = twin.events.waitFor('customer.created', {
      where: ({ data }) => data.object.name === 'Ada',
    })
    await twin.reset()
    const again = await twin.post<{ id: string }>('/v1/customers', { name: 'Ada' })
    expect(again.id).toBe(first.id)
    expect((await waiting).data.object).toMatchObject({ name: 'Ada' })
  })

  test('waitFor finds an event of calls that held up the process until the timeout', async () => {
    const twin = await open()
    const waiting = twin.events.waitFor('customer.created', { timeout: 1 })
    const created = twin.post('/v1/customers')
    for (const end = performance.now() + 10; performance.now() < end; );
    const [event, customer] = await Promise.all([waiting, created])
    expect(event.data.object).toEqual(customer)
  })

  test('waitFor waits without a limit', async () => {
    const twin = await open()
    const waiting = twin.events.waitFor('customer.created', { timeout: Number.POSITIVE_INFINITY })
    await setTimeout(5)
    await twin.post('/v1/customers')
    expect((await waiting).type).toBe('customer.created')
  })

  test('waitFor lists the recent events on timeout', async () => {
    const twin = await open({ now: NOW })
    const waiting = twin.events.waitFor('invoice.paid', { timeout: 50 })
    await expect(waiting).rejects.toThrow('No matching invoice.paid event within 50 ms. There are no events.')
    await twin.post('/v1/customers')
    await expect(twin.events.waitFor('invoice.*', { timeout: 50 })).rejects.toThrow(
      'Events: customer.created.',
    )
    for (let index = 0; index < 12; index += 1) await twin.post('/v1/products', { name: 'Plan' })
    const products = Array(10).fill('product.created').join(', ')
    await expect(twin.events.waitFor('invoice.*', { timeout: 50 })).rejects.toThrow(
      `The last 10 events: ${products}.`,
    )
    await expect(twin.events.waitFor('invoice.pade*')).rejects.toMatchObject({ code: 'parameter_invalid' })
  })

  test('waitFor reads one page of a long history on timeout', async () => {
    const requests: string[] = []
    const get = async (path: string) => {
      requests.push(path)
      const isAll = !path.includes('types')
      return { data: isAll ? [{ type: 'customer.created' }] : [], has_more: isAll } as never
    }
    const history = historyOf({ get, engine: { listen: () => () => undefined } })
    const waiting = history.waitFor('invoice.paid', { timeout: 5, after: 'evt_1' })
    await expect(waiting).rejects.toThrow('The last 10 events: customer.created.')
    expect(requests.filter((path) => !path.includes('types'))).toEqual(['/v1/events?limit=10'])
  })

  test('are triggered', async () => {
    const twin = await open({ now: NOW })
    const events = await twin.trigger('invoice.payment_failed')
    expect(events.map(({ type }) => type)).toContain('invoice.payment_failed')
  })
})

describe('faults', () => {
  test('decline charges of all merchants, a given number of times', async () => {
    const twin = await open({ now: NOW })
    await subscribe(twin)
    await twin.faults.add('decline', { count: 1 })
    expect(await twin.faults.list()).toMatchObject([{ kind: 'decline', remaining: 1, merchant: null }])
    expect(await twin.clock.advance('1mo')).toMatchObject({ payments_failed: 1 })
    expect(await twin.faults.list()).toEqual([])
  })

  test('lose the response, but not the write', async () => {
    const twin = await open({ now: NOW })
    await twin.faults.add('response_lost', { count: 1, route: 'POST /v1/customers' })
    const lost = twin.fetch('/v1/customers', { method: 'POST' })
    await expect(lost).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } })
    expect(await twin.get('/v1/customers')).toMatchObject({ data: [{ object: 'customer' }] })
  })

  test("delay a response beyond the caller's timeout", async () => {
    const twin = await open({ now: NOW })
    await twin.faults.add('latency', { ms: 60_000, count: 1 })
    const late = twin.fetch('/v1/customers', { signal: AbortSignal.timeout(20) })
    await expect(late).rejects.toMatchObject({ name: 'TimeoutError' })
    await expect(twin.fetch('/v1/customers', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })

  test('of one merchant affect only that merchant, and are cleared separately', async () => {
    const twin = await open({ now: NOW })
    const other = await twin.merchants.create()
    await other.faults.add('internal_error')
    await twin.faults.add('rate_limit', { route: 'DELETE *' })
    expect((await other.fetch('/v1/customers')).status).toBe(500)
    expect((await twin.fetch('/v1/customers')).status).toBe(200)
    await other.faults.clear()
    expect((await other.fetch('/v1/customers')).status).toBe(200)
    expect(await twin.faults.list()).toMatchObject([{ kind: 'rate_limit' }])
    await twin.faults.clear()
    expect(await twin.faults.list()).toEqual([])
  })

  test('with invalid options are refused', async () => {
    const twin = await open()
    await expect(twin.faults.add('decline', { ms: 5 })).rejects.toMatchObject({ param: 'ms' })
  })
})

describe('snapshots', () => {
  test('restore the saved state', async () => {
    const twin = await open({ now: NOW })
    await subscribe(twin)
    const saved = await twin.snapshots.save('subscribed')
    expect(saved).toMatchObject({ object: 'snapshot', name: 'subscribed' })
    await twin.clock.advance('1mo')
    const later = await twin.events.list()
    await twin.snapshots.restore('subscribed')
    expect(twin.clock.now).toEqual(new Date(NOW))
    await twin.clock.advance('1mo')
    expect(await twin.events.list()).toEqual(later)
    expect((await twin.snapshots.list()).map(({ name }) => name)).toEqual(['subscribed'])
    await twin.snapshots.delete('subscribed')
    await expect(twin.snapshots.restore('subscribed')).rejects.toMatchObject({ status: 404 })
    await expect(twin.snapshots.restore('\ud800')).rejects.toMatchObject({ status: 404 })
  })
})

describe('merchants', () => {
  test('have their own data, keys, events and clock', async () => {
    const twin = await open({ now: NOW })
    await twin.clock.advance('1d')
    const [here, elsewhere] = await Promise.all([
      twin.merchants.create(),
      twin.merchants.create({
        name: 'Elsewhere',
        now: '2030-01-01T00:00:00Z',
        dunningFinalAction: 'mark_unpaid',
        notices: { invoice_upcoming: 7 },
      }),
    ])
    expect(here.clock.now).toEqual(new Date('2026-02-01T10:00:00Z'))
    expect(elsewhere.clock.now).toEqual(new Date('2030-01-01T00:00:00Z'))
    await subscribe(elsewhere)
    await elsewhere.clock.advance('1mo')
    expect(await here.events.list()).toEqual([])
    expect(await twin.events.list()).toEqual([])
    expect(await elsewhere.events.list({ type: 'invoice.paid' })).toHaveLength(2)
    const announced = await elsewhere.events.list({ type: 'invoice.upcoming' })
    expect(announced.map(({ created }) => created)).toEqual([
      new Date('2030-01-25T00:00:00Z').getTime() / 1000,
    ])
    expect(twin.clock.now).toEqual(new Date('2026-02-01T10:00:00Z'))
    await twin.merchants.delete(here.id)
    expect((await here.fetch('/v1/customers')).status).toBe(401)
    expect(() => here.clock.now).toThrow(`Merchant ${here.id} no longer exists`)
    await expect(here.webhooks.settled()).rejects.toThrow(`Merchant ${here.id} no longer exists`)
  })
})

/** An argument as it may be without type checks. */
const wrong = (value: unknown) => value as undefined & string

describe('names and ids', () => {
  test.each<[string, (twin: Paytwin, value: string) => Promise<unknown>]>([
    ['The duration of clock.advance, such as 1mo,', (twin, value) => twin.clock.advance(value)],
    ['The type of events.waitFor', (twin, value) => twin.events.waitFor(value as 'invoice.*')],
    ["The event's ID in after", (twin, value) => twin.events.list({ after: { id: value } })],
    ['The id of merchants.delete', (twin, value) => twin.merchants.delete(value)],
    ['The name of snapshots.save', (twin, value) => twin.snapshots.save(value)],
    ['The name of snapshots.restore', (twin, value) => twin.snapshots.restore(value)],
    ['The name of snapshots.delete', (twin, value) => twin.snapshots.delete(value)],
    ['The id of story', (twin, value) => twin.story(value)],
    ['The type of trigger', (twin, value) => twin.trigger(value as 'invoice.paid')],
  ])('%s has to be text', async (argument, call) => {
    const twin = await open()
    for (const [value, type] of [
      [undefined, 'undefined'],
      [null, 'null'],
      [5, 'number'],
      [{}, 'object'],
      [[], 'object'],
      [Symbol('name'), 'symbol'],
    ])
      await expect(call(twin, wrong(value))).rejects.toThrow(
        new TypeError(`${argument} must be a string, not ${String(type)}`),
      )
  })

  test('an event to list the later ones of has to be an event or its ID', async () => {
    const twin = await open()
    for (const after of [null, {}, 5])
      await expect(twin.events.list({ after: wrong(after) })).rejects.toThrow(
        /^The event's ID in after must be a string/,
      )
  })

  test('the ID of a merchant to delete is no path', async () => {
    const twin = await open()
    await twin.snapshots.save('kept')
    await expect(twin.merchants.delete('../snapshots/kept')).rejects.toMatchObject({ status: 404 })
    expect(await twin.snapshots.list()).toHaveLength(1)
  })
})

describe('options', () => {
  test.each<[string, (twin: Paytwin) => Promise<unknown>, string]>([
    [
      'webhooks.create',
      (twin) => twin.webhooks.create(wrong(() => new Response())),
      'The options of webhooks.create must be an object. Valid options: events, handler, url',
    ],
    [
      'webhooks.create',
      (twin) => twin.webhooks.create(wrong({ handle: () => new Response() })),
      "webhooks.create has no option 'handle'. Valid options: events, handler, url",
    ],
    [
      'clock.advance',
      (twin) => twin.clock.advance('1d', wrong({ stop_on: ['invoice.paid'] })),
      "an advance has no option 'stop_on'. Valid options: stopOn, awaitWebhooks",
    ],
    [
      'clock.advanceToNext',
      (twin) => twin.clock.advanceToNext(wrong({ stopOn: ['invoice.paid'] })),
      "advanceToNext has no option 'stopOn'. Valid options: awaitWebhooks",
    ],
    [
      'faults.add',
      (twin) => twin.faults.add('decline', wrong({ counts: 5 })),
      "faults.add has no option 'counts'. Valid options: count, rate, route, ms",
    ],
    [
      'notices',
      (twin) => twin.merchants.create({ notices: wrong({ invoiceUpcoming: 3 }) }),
      "notices has no option 'invoiceUpcoming'. Valid options: invoice_upcoming, trial_will_end, invoice_will_be_due, invoice_overdue",
    ],
    [
      'events.list',
      (twin) => twin.events.list(wrong({ types: ['invoice.paid'] })),
      "events.list has no option 'types'. Valid options: type, after",
    ],
    [
      'events.waitFor',
      (twin) => twin.events.waitFor('invoice.paid', wrong({ since: 'evt_1' })),
      "events.waitFor has no option 'since'. Valid options: after, where, timeout",
    ],
    [
      'merchants.create',
      (twin) => twin.merchants.create(wrong({ clock: '2026-01-31T10:00:00Z' })),
      "merchants.create has no option 'clock'. Valid options: name, now, dunningFinalAction, notices, dialect, apiVersion, secretKey",
    ],
  ])('that %s does not have are refused, and change nothing', async (_, call, message) => {
    const twin = await open()
    const before = twin.clock.now
    await expect(call(twin)).rejects.toThrow(new TypeError(message))
    expect([twin.clock.now, await twin.events.list(), await twin.faults.list()]).toEqual([before, [], []])
  })
})

describe('fetch', () => {
  test('takes a path, a URL of any origin or a Request, and keeps a given key', async () => {
    const twin = await open()
    const headers = { authorization: 'Bearer sk_test_wrong' }
    expect((await twin.fetch('/v1/customers')).status).toBe(200)
    expect((await twin.fetch(new URL('https://api.example.com/v1/customers'))).status).toBe(200)
    expect((await twin.fetch(new Request('https://api.example.com/v1/customers'))).status).toBe(200)
    expect((await twin.fetch(new Request(`${twin.url}/v1/customers`, { headers }))).status).toBe(401)
  })

  test('refusals name the request and the reason', async () => {
    const twin = await open()
    await expect(twin.get('/v1/customers/cus_no')).rejects.toMatchObject({
      name: 'RequestRefused',
      status: 404,
      type: 'invalid_request_error',
      code: 'resource_missing',
      param: 'id',
      message: "GET /v1/customers/cus_no: No such customer: 'cus_no'",
    })
    const { id } = await twin.post<{ id: string }>('/v1/customers')
    expect(await twin.delete(`/v1/customers/${id}`)).toMatchObject({ id, deleted: true })
  })
})
