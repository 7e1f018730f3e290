import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { linesOf } from '../table.ts'
import { type Body, makeCustomer, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, nowOf, openTwin, subscribe, timelineOf } from './story.ts'

const FAILED = 'decline:insufficient_funds'

describe('an advance', () => {
  test('also runs jobs that are due at its target', async () => {
    const twin = await openTwin()
    await subscribe(twin)
    const { summary } = await twin.advance({ to: '2026-02-28T10:00:00Z' })
    expect(summary).toEqual({ jobs: 1, events: 6, invoices_paid: 1, payments_failed: 0, stopped_on: null })
  })

  test('does not run jobs that are due a second later', async () => {
    const twin = await openTwin()
    await subscribe(twin)
    const { summary, now, status, target } = await twin.advance({ to: '2026-02-28T09:59:59Z' })
    expect(summary).toMatchObject({ jobs: 0, events: 0 })
    expect([now, status, target]).toEqual([at('2026-02-28T09:59:59Z'), 'ready', null])
  })

  test('returns a summary', async () => {
    const twin = await openTwin()
    await subscribe(twin, { outcomes: ['succeed', FAILED, FAILED] })
    const { summary } = await twin.advance({ by: '2mo' })
    expect(summary).toEqual({ jobs: 4, events: 19, invoices_paid: 2, payments_failed: 2, stopped_on: null })
  })

  test('without due jobs moves the clock and emits no event', async () => {
    const twin = await openTwin()
    expect((await twin.advance({ by: '10y' })).now).toBe(at('2036-01-31T10:00:00Z'))
    expect(await twin.events()).toEqual([])
  })

  test.each([
    [{ to: '2026-01-31T09:59:59Z' }, 'to'],
    [{ to: '2026-01-31T10:00:00Z' }, 'to'],
    [{ to: 'tomorrow' }, 'to'],
    [{ by: '0s' }, 'by'],
    [{ by: '-1d' }, 'by'],
    [{ by: 'soon' }, 'by'],
    [{ by: '999999999y' }, 'by'],
    [{ by: '8000y' }, 'by'],
    [{ to: '2026-03-01', by: '1d' }, 'by'],
    [{ by: '1d', stop_on: ['invoice.payed'] }, 'stop_on[0]'],
    [{ by: '1d', stop_on: ['invoice.paid', 'zebra.*'] }, 'stop_on[1]'],
  ])('%j is refused, naming %s, and the clock stays', async (params, param) => {
    const twin = await openTwin()
    await subscribe(twin)
    const before = await historyOf(twin)
    const { status, body } = await twin.request('POST', '/v1/test_helpers/clock/advance', params)
    expect([status, body.error.code, body.error.param]).toEqual([400, 'parameter_invalid', param])
    expect(await nowOf(twin)).toBe(at('2026-01-31T10:00:00Z'))
    expect(bytesOf(await historyOf(twin))).toEqual(bytesOf(before))
  })

  test('to the present instant is allowed while something is due there', async () => {
    const twin = await openTwin()
    await subscribe(twin, { collection_method: 'send_invoice', days_until_due: 0 })
    const now = await nowOf(twin)
    expect((await twin.advance({ to: now })).summary).toMatchObject({ jobs: 1, events: 1 })
    const { status } = await twin.request('POST', '/v1/test_helpers/clock/advance', { to: now })
    expect(status).toBe(400)
  })
})

describe('stop_on', () => {
  const weekly = { recurring: { interval: 'week' } }

  test('ends the advance after the job that emitted the event, at its instant', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    await subscribe(twin, { price: weekly, outcomes: ['succeed', FAILED] })
    const stopped = await twin.advance({ by: '1mo', stop_on: ['invoice.payment_failed'] })
    expect(stopped).toMatchObject({
      now: at('2026-06-08T09:00:00Z'),
      status: 'ready',
      target: null,
      summary: { jobs: 1, events: 6, payments_failed: 1, stopped_on: 'invoice.payment_failed' },
    })
    // The job has run completely, and the caller may continue.
    expect(timelineOf(await twin.events()).at(-1)).toMatch(/subscription\.updated past_due/)
    expect((await twin.advance({ by: '1d' })).now).toBe(at('2026-06-09T09:00:00Z'))
  })

  test.each([
    ['invoice.*_failed', 'invoice.payment_failed', '2026-06-08T09:00:00Z'],
    ['subscription.*', 'subscription.updated', '2026-06-08T09:00:00Z'],
    ['*', 'invoice.created', '2026-06-08T09:00:00Z'],
    ['*.paid', 'invoice.paid', '2026-06-09T09:00:00Z'],
    ['subscription.deleted', null, '2026-07-01T09:00:00Z'],
  ])('%s stops on %s at %s', async (pattern, stopped_on, time) => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    await subscribe(twin, { price: weekly, outcomes: ['succeed', FAILED] })
    const { now, summary } = await twin.advance({ by: '1mo', stop_on: [pattern] })
    expect([summary.stopped_on, now]).toEqual([stopped_on, at(time)])
  })

  test('leaves other jobs of that second to the next advance', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    const first = await subscribe(twin, { price: weekly })
    const second = await subscribe(twin, { price: weekly })
    await twin.advance({ by: '1mo', stop_on: ['invoice.paid'] })
    const { data } = await twin.get('/v1/test_helpers/upcoming')
    expect(data.map(({ due, subscription }: Body) => [due, subscription])).toEqual([
      [at('2026-06-08T09:00:00Z'), second.subscription.id],
      [at('2026-06-15T09:00:00Z'), first.subscription.id],
    ])
    expect((await twin.advance({ to: '2026-06-08T09:00:00Z' })).summary).toMatchObject({ jobs: 1 })
  })

  test('stopping and continuing gives the history of one advance', async () => {
    const play = async (stop_on: string[]) => {
      const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
      for (const outcomes of [[], ['succeed', FAILED], ['succeed', FAILED, FAILED]]) {
        await subscribe(twin, { price: weekly, outcomes })
      }
      const end = at('2026-07-01')
      while ((await nowOf(twin)) < end) await twin.advance({ to: end, stop_on })
      return bytesOf(await historyOf(twin))
    }
    expect(await play(['invoice.paid', '*.failed'])).toEqual(await play([]))
  })
})

describe('during an advance', () => {
  /** Enough due jobs for several batches. Fewer where whole histories are compared: reading them takes longer than the advance. */
  const prepare = async (subscriptions = 50) => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    for (let n = 0; n < subscriptions; n += 1)
      await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    return twin
  }

  test('reads see intermediate times, and writes wait for its end', async () => {
    const twin = await prepare()
    const end = at('2026-08-01T09:00:00Z')
    let isDone = false
    const advance = twin.advance({ to: end }).finally(() => {
      isDone = true
    })
    const seen: Body[] = []
    // On a busy machine a request that does not wait for this one could come before it.
    while (twin.sandbox.merchant.held.size === 0) await turn()
    const first = await twin.get('/v1/test_helpers/clock')
    const write = twin.post('/v1/customers')
    while (!isDone) {
      // A read without a socket takes no turn of the event loop, but the advance needs turns.
      await turn()
      seen.push(await twin.get('/v1/test_helpers/clock'))
    }
    await advance

    const moving = [first, ...seen].filter(({ status }) => status === 'advancing')
    expect(moving.some(({ now }) => now > at('2026-06-01T09:00:00Z') && now < end)).toBe(true)
    for (const { target } of moving) expect(target).toBe(end)
    const times = seen.map(({ now }) => now)
    expect(times).toEqual(times.toSorted((left, right) => left - right))
    expect((await write).created).toBe(end)
  })

  test('it can be canceled, and continuing gives the history of one advance', async () => {
    const end = '2026-07-01T09:00:00Z'
    const whole = await prepare(20)
    const { summary } = await whole.advance({ to: end })

    const twin = await prepare(20)
    const { engine, merchant } = twin.sandbox
    const advance = twin.advance({ to: end })
    while (merchant.held.size === 0) await turn()
    engine.time.cancel(merchant, merchant.clock)
    const canceled = await advance
    expect(canceled).toMatchObject({ status: 'ready', target: null, summary: { stopped_on: null } })
    expect(canceled.now).toBeLessThan(at(end))
    const rest = await twin.advance({ to: end })
    expect(canceled.summary.jobs + rest.summary.jobs).toBe(summary.jobs)
    expect(bytesOf(await historyOf(twin))).toEqual(bytesOf(await historyOf(whole)))
  })

  test('a second advance begins where the first one ends', async () => {
    const twin = await prepare()
    const [first, second] = await Promise.all([twin.advance({ by: '20d' }), twin.advance({ by: '1d' })])
    expect(second.now).toBe(at('2026-06-22T09:00:00Z'))
    expect(first.summary.jobs).toBe(50 * 20)
    expect(second.summary.jobs).toBe(50)
  })
})

describe('pace', () => {
  const story = async (advance: (twin: Twin) => Promise<void>) => {
    const twin = await openTwin()
    const { customer } = await subscribe(twin, { outcomes: ['succeed', FAILED] })
    await advance(twin)
    // Later requests start from the same state at every pace.
    await makeCustomer(twin)
    await twin.post(`/v1/customers/${customer.id}`, { name: 'Bea' })
    return bytesOf(await historyOf(twin))
  }

  test('advancing second by second across a renewal equals one jump', async () => {
    const jump = await story(async (twin) => {
      await twin.advance({ to: '2026-02-28T10:00:20Z' })
    })
    const steps = await story(async (twin) => {
      await twin.advance({ to: '2026-02-28T09:59:40Z' })
      for (let second = 0; second < 40; second += 1) await twin.advance({ by: '1s' })
    })
    expect(steps).toEqual(jump)
  })

  test('every response on /v1 has the time of the clock', async () => {
    const twin = await openTwin()
    await twin.advance({ by: '1d' })
    for (const path of ['/v1/customers', '/v1/customers/cus_unknown', '/v1/unknown']) {
      const { headers } = await twin.request('GET', path)
      expect(headers.get('Paytwin-Now')).toBe(String(at('2026-02-01T10:00:00Z')))
    }
  })
})

test('objects that jobs create have the instant of the job as created', async () => {
  const twin = await openTwin()
  await subscribe(twin, { outcomes: ['succeed', FAILED] })
  await twin.advance({ to: '2026-03-15T00:00:00Z' })
  const made = await Promise.all(
    ['invoices', 'payment_intents', 'charges'].map((list) => listAll(twin, `/v1/${list}`)),
  )
  expect(made.map((objects) => objects.slice(1).map(({ created }) => created))).toEqual([
    [at('2026-02-28T10:00:00Z')],
    [at('2026-02-28T10:00:00Z')],
    [at('2026-02-28T10:00:00Z'), at('2026-03-01T10:00:00Z')],
  ])
  expect(linesOf(timelineOf(await twin.events()).join('\n')).at(-1)).toBe(
    '2026-03-01T10:00:00Z subscription.updated active Δ status',
  )
})
