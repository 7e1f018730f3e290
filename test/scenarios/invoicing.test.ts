import { describe, expect, test } from 'vitest'
import { createdCounts } from '../../src/engine/resources/created-counts.ts'
import { linesOf } from '../table.ts'
import { type Body, makeCustomer, makePrice, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, openTwin, subscribe, timelineOf } from './story.ts'

const FAILED = 'decline:insufficient_funds'

describe('a price of zero', () => {
  test('is paid at once without an intent, whatever the card', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, {
      price: { unit_amount: 0 },
      card: 'pm_card_chargeDeclined',
    })
    await twin.advance({ by: '1mo' })
    expect(timelineOf(await twin.events())).toEqual(
      linesOf(`
      2026-01-31T10:00:00Z subscription.created active
      2026-01-31T10:00:00Z invoice.created draft
      2026-01-31T10:00:00Z invoice.finalized open
      2026-01-31T10:00:00Z invoice.paid paid #0
      2026-02-28T10:00:00Z invoice.created draft
      2026-02-28T10:00:00Z invoice.finalized open
      2026-02-28T10:00:00Z invoice.paid paid #0
      2026-02-28T10:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
      `),
    )
    const invoices = await listAll(twin, '/v1/invoices')
    expect(subscription).toMatchObject({ status: 'active', latest_invoice: invoices[0]?.id })
    expect(invoices[0]).toMatchObject({
      status: 'paid',
      total: 0,
      amount_due: 0,
      payment_intent: null,
      charge: null,
      attempted: false,
      number: expect.stringMatching(/^[A-Z0-9]{8}-0001$/),
    })
    expect(await listAll(twin, '/v1/payment_intents')).toEqual([])
  })

  test('a quantity of zero gives it', async () => {
    const twin = await openTwin()
    const price = await makePrice(twin)
    const { customer, method } = await makeCustomer(twin)
    const subscription = await twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id, quantity: 0 }],
    })
    expect(subscription).toMatchObject({ status: 'active', items: { data: [{ quantity: 0 }] } })
    expect(await listAll(twin, '/v1/invoices')).toMatchObject([{ status: 'paid', total: 0 }])
  })
})

describe('several items', () => {
  const prepare = async () => {
    const twin = await openTwin()
    const { customer, method } = await makeCustomer(twin)
    const monthly = await makePrice(twin)
    const seats = await makePrice(twin, { unit_amount: 350 })
    const params = { customer: customer.id, currency: 'usd', default_payment_method: method.id }
    return { twin, params, monthly, seats }
  }

  test('are billed together, a line for each', async () => {
    const { twin, params, monthly, seats } = await prepare()
    const subscription = await twin.post('/v1/subscriptions', {
      ...params,
      items: [{ price: monthly.id }, { price: seats.id, quantity: 3 }],
    })
    await twin.advance({ by: '1mo' })
    const invoices = await listAll(twin, '/v1/invoices')
    expect(invoices.map(({ total }) => total)).toEqual([3050, 3050])
    expect(invoices[1]?.lines.data).toMatchObject([
      { amount: 2000, quantity: 1, price: monthly.id, subscription_item: subscription.items.data[0].id },
      { amount: 1050, quantity: 3, price: seats.id, subscription_item: subscription.items.data[1].id },
    ])
    expect(invoices[1]?.lines.data[0].period).toEqual({
      start: at('2026-02-28T10:00:00Z'),
      end: at('2026-03-31T10:00:00Z'),
    })
    expect(await listAll(twin, '/v1/charges')).toMatchObject([{ amount: 3050 }, { amount: 3050 }])
  })

  test.each<[string, string, (prices: { monthly: Body; seats: Body; weekly: Body; euro: Body }) => Body[]]>([
    [
      'items[1][price]',
      'parameter_invalid',
      ({ monthly, weekly }) => [{ price: monthly.id }, { price: weekly.id }],
    ],
    [
      'items[1][price]',
      'parameter_invalid',
      ({ monthly, euro }) => [{ price: monthly.id }, { price: euro.id }],
    ],
    ['items[1][price]', 'parameter_invalid', ({ seats }) => [{ price: seats.id }, { price: seats.id }]],
    [
      'amount',
      'amount_too_large',
      ({ monthly, seats }) => [{ price: monthly.id }, { price: seats.id, quantity: 300_000 }],
    ],
    ['items', 'parameter_invalid', ({ seats }) => Array.from({ length: 21 }, () => ({ price: seats.id }))],
  ])('are refused, naming %s with %s', async (param, code, itemsOf) => {
    const { twin, params, monthly, seats } = await prepare()
    const weekly = await makePrice(twin, { recurring: { interval: 'week' } })
    const euro = await makePrice(twin, { currency: 'eur' })
    const before = await historyOf(twin)
    const items = itemsOf({ monthly, seats, weekly, euro })
    const { status, body } = await twin.request('POST', '/v1/subscriptions', { ...params, items })
    expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
    expect(bytesOf(await historyOf(twin))).toEqual(bytesOf(before))
  })
})

describe('an invoice that is sent', () => {
  const send = async (params: Body = {}) => {
    const twin = await openTwin()
    const begun = await subscribe(twin, { collection_method: 'send_invoice', ...params })
    return { twin, ...begun, current: () => twin.get(`/v1/subscriptions/${begun.subscription.id}`) }
  }

  test('is open with a due date, and its subscription is active at once', async () => {
    const { twin, subscription } = await send()
    expect(subscription).toMatchObject({ status: 'active', days_until_due: 30, latest_invoice: null })
    expect(timelineOf(await twin.events())).toEqual(
      linesOf(`
      2026-01-31T10:00:00Z subscription.created active
      2026-01-31T10:00:00Z invoice.created draft
      2026-01-31T10:00:00Z invoice.finalized open
      `),
    )
    expect(await listAll(twin, '/v1/invoices')).toMatchObject([
      { status: 'open', due_date: at('2026-03-02T10:00:00Z'), attempt_count: 0, next_payment_attempt: null },
    ])
  })

  test('and is not paid by its due date makes the subscription past due until it is paid', async () => {
    const { twin, current } = await send({ days_until_due: 10 })
    await twin.advance({ to: '2026-02-10T09:59:59Z' })
    expect(await current()).toMatchObject({ status: 'active' })
    await twin.advance({ by: '1s' })
    expect(await current()).toMatchObject({ status: 'past_due', latest_invoice: null })
    const [invoice] = await listAll(twin, '/v1/invoices')
    await twin.post(`/v1/invoices/${invoice?.id}/pay`)
    expect(timelineOf(await twin.events()).slice(3)).toEqual(
      linesOf(`
      2026-02-10T10:00:00Z subscription.updated past_due Δ status
      2026-02-10T10:00:00Z invoice.paid paid #0
      2026-02-10T10:00:00Z payment_intent.succeeded succeeded
      2026-02-10T10:00:00Z charge.succeeded succeeded
      2026-02-10T10:00:00Z subscription.updated active Δ status latest_invoice
      `),
    )
    expect((await current()).latest_invoice).toBe(invoice?.id)
  })

  test('is followed by another one with its own due date at each renewal, without attempts', async () => {
    const { twin, current } = await send({ days_until_due: 45 })
    await twin.advance({ to: '2026-03-31T10:00:00Z' })
    const invoices = await listAll(twin, '/v1/invoices')
    expect(invoices.map(({ due_date }) => due_date)).toEqual(
      ['2026-03-17T10:00:00Z', '2026-04-14T10:00:00Z', '2026-05-15T10:00:00Z'].map(at),
    )
    for (const { status, attempt_count } of invoices) expect([status, attempt_count]).toEqual(['open', 0])
    expect(await current()).toMatchObject({ status: 'past_due' })
    // An invoice that is not due yet does not prevent it.
    await twin.post(`/v1/invoices/${invoices[0]?.id}/pay`)
    expect(await current()).toMatchObject({ status: 'active', latest_invoice: invoices[2]?.id })
  })
})

describe('latest_invoice', () => {
  test('is the newest invoice once one was paid, whether or not that is paid', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed', FAILED, 'succeed', 'succeed'] })
    const newest = async () => {
      const [invoices, current] = [
        await listAll(twin, '/v1/invoices'),
        await twin.get(`/v1/subscriptions/${subscription.id}`),
      ]
      expect(current.latest_invoice).toBe(invoices.at(-1)?.id)
      return invoices.at(-1)?.status
    }
    const emitted: string[] = [await newest()]
    for (const time of ['2026-02-28T10:00:00Z', '2026-03-01T10:00:00Z', '2026-03-31T10:00:00Z']) {
      await twin.advance({ to: time })
      emitted.push(await newest())
    }
    expect(emitted).toEqual(['paid', 'open', 'paid', 'paid'])
  })
})

test('each event of one operation shows the object as of its step', async () => {
  const twin = await openTwin()
  const { subscription } = await subscribe(twin)
  const [invoice] = await listAll(twin, '/v1/invoices')
  const emitted = new Map((await twin.events()).map(({ type, data }) => [type, data.object]))
  expect(emitted.get('subscription.created')).toEqual(subscription)
  expect(emitted.get('invoice.created')).toMatchObject({
    id: invoice?.id,
    status: 'draft',
    number: null,
    payment_intent: null,
    charge: null,
    status_transitions: { finalized_at: null, paid_at: null },
  })
  expect(emitted.get('invoice.finalized')).toMatchObject({
    status: 'open',
    number: invoice?.number,
    payment_intent: invoice?.payment_intent,
    amount_paid: 0,
    amount_remaining: 2000,
    charge: null,
  })
  expect(emitted.get('invoice.paid')).toEqual(invoice)
})

test('pages of events are complete, although there are silent changes between them', async () => {
  const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
  const price = { recurring: { interval: 'day' } }
  // Failures make customers delinquent and expiries cancel intents: changes of objects without events.
  for (let n = 0; n < 5; n += 1) await subscribe(twin, { price, outcomes: [], afterwards: FAILED })
  await subscribe(twin, { price, outcomes: ['succeed', FAILED] })
  await twin.advance({ by: '3w' })
  const [small, large] = [await pagesOf(twin, 7), await pagesOf(twin, 100)]
  expect(small).toEqual(large)
  expect(large.length).toBe(createdCounts(twin.sandbox.engine).events)
})

/** The ids of all events, read in pages of one size, forward and back again. */
async function pagesOf(twin: Twin, limit: number): Promise<string[]> {
  const walk = async (cursor: 'starting_after' | 'ending_before', from: string) => {
    const ids: string[] = []
    for (let last = from; ; last = ids.at(-1) ?? '') {
      const page = await twin.get(`/v1/events?limit=${limit}${last && `&${cursor}=${last}`}`)
      const found = page.data.map(({ id }: Body) => id)
      ids.push(...(cursor === 'ending_before' ? found.reverse() : found))
      expect(new Set(ids).size).toBe(ids.length)
      if (!page.has_more) return ids
    }
  }
  const newestFirst = await walk('starting_after', '')
  const oldest = newestFirst.at(-1) ?? ''
  expect([oldest, ...(await walk('ending_before', oldest))]).toEqual(newestFirst.toReversed())
  return newestFirst
}
