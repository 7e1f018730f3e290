import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formatInstant } from '../../src/core/calendar.ts'
import { subscribe as subscribeCard } from '../scenarios/story.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { expectRefused, invalid } from './support.ts'

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

const subscribe = async (outcomes?: string[]): Promise<Body> =>
  (await subscribeCard(twin, { outcomes })).subscription

describe('stop_on', () => {
  test('keeps each type once, however often its patterns name it', async () => {
    const { merchant } = twin.sandbox
    const advance = twin.advance({ by: '1d', stop_on: ['invoice.paid', 'invoice.*', ...Array(90).fill('*')] })
    while (merchant.clock.target === null) await new Promise((resolve) => setImmediate(resolve))
    const { stop_on } = JSON.parse(merchant.clock.advance ?? '')
    await advance
    expect(stop_on).toHaveLength(new Set(stop_on).size)
  })

  test.each<[string[], string, string]>([
    [['invoice.payment_failed'], '2026-03-31T10:00:00Z', 'invoice.payment_failed'],
    [['invoice.payment_failed', 'subscription.deleted'], '2026-03-31T10:00:00Z', 'invoice.payment_failed'],
    [['subscription.*'], '2026-02-28T10:00:00Z', 'subscription.updated'],
    [['*.failed'], '2026-03-31T10:00:00Z', 'charge.failed'],
    [['*'], '2026-02-28T10:00:00Z', 'invoice.created'],
    [['charge.failed', 'invoice.payment_failed'], '2026-03-31T10:00:00Z', 'invoice.payment_failed'],
  ])('%j ends an advance at %s, on %s', async (stop_on, instant, stopped_on) => {
    await subscribe(['succeed', 'succeed', 'decline:lost_card'])
    const { now, summary } = await twin.advance({ by: '1y', stop_on })
    expect([formatInstant(now), summary.stopped_on]).toEqual([instant, stopped_on])
    expect((await twin.get('/v1/test_helpers/clock')).now).toBe(now)
  })

  test('ends it right after the job, so that others due then stay pending', async () => {
    const price = await makePrice(twin)
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) {
      const { customer, method } = await makeCustomer(twin)
      const body = { customer: customer.id, currency: 'usd', default_payment_method: method.id }
      ids.push((await twin.post('/v1/subscriptions', { ...body, items: [{ price: price.id }] })).id)
    }
    const { summary } = await twin.advance({ by: '1mo', stop_on: ['invoice.paid'] })
    expect(summary).toMatchObject({ jobs: 1, invoices_paid: 1, stopped_on: 'invoice.paid' })
    const pending = (await twin.get('/v1/test_helpers/upcoming')).data
    expect(pending.slice(0, 2).map(({ due, subscription }: Body) => [due, subscription])).toEqual([
      [1772272800, ids[1]],
      [1772272800, ids[2]],
    ])
    expect((await twin.advance({ to: 1772272800 })).summary).toMatchObject({ jobs: 2 })
  })

  test('that never occurs does not stop it', async () => {
    await subscribe()
    const { now, summary } = await twin.advance({ by: '1mo', stop_on: ['subscription.deleted'] })
    expect([formatInstant(now), summary.stopped_on]).toEqual(['2026-02-28T10:00:00Z', null])
  })

  test('that is empty stops on nothing', async () => {
    await subscribe()
    expect((await twin.advance({ by: '1mo', stop_on: [] })).summary.stopped_on).toBeNull()
  })

  test.each<[string[], string]>([
    [['invoice.payment_succeeded'], 'stop_on[0]'],
    [['invoice.paid', 'invoice'], 'stop_on[1]'],
    [['customer.subscription.*'], 'stop_on[0]'],
    [[''], 'stop_on[0]'],
    [['.*'], 'stop_on[0]'],
    [['INVOICE.PAID'], 'stop_on[0]'],
  ])('%j is refused', async (stop_on, param) => {
    const path = '/v1/test_helpers/clock/advance'
    await expectRefused(twin, ['POST', path, { by: '1d', stop_on }], invalid(param))
  })
})
