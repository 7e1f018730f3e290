import { describe, expect, test } from 'vitest'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { at, listAll, openTwin, subscribe } from './story.ts'

/** The middle of a month of 30 days, and the anchor at its end. */
const NOW = '2026-04-16T00:00:00Z'
const ANCHOR = '2026-05-01T00:00:00Z'

/** Creates a subscription to Basic, 20.00 USD a month. It starts on 16 April, and its anchor is the first of a month. */
async function begin(given: Body = {}) {
  const twin = await openTwin({ now: NOW })
  const params = { price: { nickname: 'Basic' }, billing_cycle_anchor: at(ANCHOR), ...given }
  return { twin, ...(await subscribe(twin, params)) }
}

const newestInvoice = async (twin: Twin): Promise<Body> => (await twin.get('/v1/invoices?limit=1')).data[0]

const linesOf = ({ lines }: Body): string[] =>
  lines.data.map(({ amount, description }: Body) => `${amount} ${description}`)

describe('a first period up to an anchor', () => {
  test('bills the remaining part, and whole periods from the anchor on', async () => {
    const { twin, subscription } = await begin()
    expect(subscription).toMatchObject({
      ...{ status: 'active', billing_cycle_anchor: at(ANCHOR) },
      ...{ current_period_start: at(NOW), current_period_end: at(ANCHOR) },
    })
    const first = await newestInvoice(twin)
    expect(first).toMatchObject({
      ...{ status: 'paid', total: 1000, billing_reason: 'subscription_create' },
      ...{ period_start: at(NOW), period_end: at(ANCHOR) },
    })
    expect(linesOf(first)).toEqual(['1000 Remaining time on Basic after 2026-04-16'])
    expect(first.lines.data[0]).toMatchObject({
      ...{ proration: true, subscription_item: subscription.items.data[0].id },
      period: { start: at(NOW), end: at(ANCHOR) },
    })
    await twin.advance({ to: '2026-06-01T00:00:00Z' })
    const invoices = (await listAll(twin, '/v1/invoices')).map(({ total, period_start, period_end }) => [
      total,
      period_start,
      period_end,
    ])
    expect(invoices.slice(1)).toEqual([
      [2000, at(ANCHOR), at('2026-06-01T00:00:00Z')],
      [2000, at('2026-06-01T00:00:00Z'), at('2026-07-01T00:00:00Z')],
    ])
  })

  test('counts to the second', async () => {
    const twin = await openTwin({ now: '2026-04-30T23:59:59Z' })
    // A second of 30 days: 25,920.00 USD ÷ 2,592,000.
    await subscribe(twin, { price: { unit_amount: 2_592_000 }, billing_cycle_anchor: at(ANCHOR) })
    expect(await newestInvoice(twin)).toMatchObject({ total: 1 })
  })

  test('is free without proration', async () => {
    const { twin, subscription } = await begin({ proration_behavior: 'none' })
    expect(await newestInvoice(twin)).toMatchObject({ status: 'paid', total: 0, lines: { data: [] } })
    expect(subscription).toMatchObject({ status: 'active', current_period_end: at(ANCHOR) })
    const pro = await makePrice(twin, { unit_amount: 6000 })
    await twin.post(`/v1/subscriptions/${subscription.id}`, {
      items: [{ id: subscription.items.data[0].id, price: pro.id }],
      proration_behavior: 'create_prorations',
    })
    // Nothing was billed, so there is no credit; 15 of 30 days remain.
    const waiting = await listAll(twin, '/v1/invoiceitems?pending=true')
    expect(waiting.map(({ amount }) => amount)).toEqual([3000])
    await twin.advance({ to: ANCHOR })
    expect(await newestInvoice(twin)).toMatchObject({ total: 9000 })
  })

  test('a change within it credits what was billed, and charges parts of the whole interval', async () => {
    const { twin, subscription } = await begin()
    const pro = await makePrice(twin, { unit_amount: 6000, nickname: 'Pro' })
    await twin.advance({ to: '2026-04-26T00:00:00Z' })
    await twin.post(`/v1/subscriptions/${subscription.id}`, {
      items: [{ id: subscription.items.data[0].id, price: pro.id }],
      proration_behavior: 'always_invoice',
    })
    // A third of the 10.00 for 15 days, and 5 of the 30 days of a month at 60.00.
    expect(linesOf(await newestInvoice(twin))).toEqual([
      '-333 Unused time on Basic after 2026-04-26',
      '1000 Remaining time on Pro after 2026-04-26',
    ])
  })

  test('a failed payment leaves it incomplete', async () => {
    const { twin, subscription } = await begin({ outcomes: ['decline:lost_card'] })
    expect(subscription).toMatchObject({ status: 'incomplete', latest_invoice: null })
    expect(await newestInvoice(twin)).toMatchObject({ status: 'open', total: 1000 })
  })

  test('an anchor one period ahead bills the whole period', async () => {
    const { twin } = await begin({ billing_cycle_anchor: at('2026-05-16T00:00:00Z') })
    expect(await newestInvoice(twin)).toMatchObject({ total: 2000 })
  })
})

describe('refused', () => {
  test.each<[string, Body]>([
    ['an anchor that is not in the future', { billing_cycle_anchor: at(NOW) }],
    ['an anchor more than a period ahead', { billing_cycle_anchor: at('2026-05-16T00:00:01Z') }],
    ['an anchor with a trial', { billing_cycle_anchor: at(ANCHOR), trial_period_days: 7 }],
    ['an anchor that is no time', { billing_cycle_anchor: 'soon' }],
  ])('%s', async (_, params) => {
    const twin = await openTwin({ now: NOW })
    const { id: price } = await makePrice(twin)
    const { id: customer } = await twin.post('/v1/customers', { name: 'Ada' })
    const refused = await twin.request('POST', '/v1/subscriptions', {
      ...{ customer, currency: 'usd', default_payment_method: 'pm_card_visa', items: [{ price }] },
      ...params,
    })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_invalid', param: 'billing_cycle_anchor' } },
    })
    expect(await listAll(twin, '/v1/subscriptions?status=all')).toEqual([])
  })
})
