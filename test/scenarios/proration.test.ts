import { describe, expect, test } from 'vitest'
import type { Body } from '../twin.ts'
import { makePrice } from '../twin.ts'
import { begin, END, linesOf, MIDDLE, nameOf, newestInvoice, pendingAmounts, START } from './plan-story.ts'
import { at, listAll, openTwin, subscribe } from './story.ts'

describe('create_prorations', () => {
  test('credits the unused time and charges the remaining time on the next invoice', async () => {
    const { twin, change, item, prices, path } = await begin()
    await twin.advance({ to: MIDDLE })
    const changed = await change({ items: [{ id: item, price: prices.pro }] })
    expect(changed.items.data.map(({ price }: Body) => nameOf(price))).toEqual(['Pro'])
    expect(await pendingAmounts(twin)).toEqual([-1000, 2500])

    await twin.advance({ to: END })
    const invoice = await newestInvoice(twin)
    expect(linesOf(invoice)).toEqual([
      '-1000 Unused time on Basic after 2026-04-16',
      '2500 Remaining time on Pro after 2026-04-16',
      '5000 1 × 50.00 USD',
    ])
    expect(invoice).toMatchObject({
      total: 6500,
      amount_due: 6500,
      amount_paid: 6500,
      billing_reason: 'subscription_cycle',
    })
    const [credit, charge, cycle] = invoice.lines.data
    const half = { start: at(MIDDLE), end: at(END) }
    expect([credit.period, charge.period]).toEqual([half, half])
    expect([credit.proration, charge.proration, cycle.proration]).toEqual([true, true, false])
    expect(cycle.period).toEqual({ start: at(END), end: at('2026-06-01T00:00:00Z') })
    expect(await pendingAmounts(twin)).toEqual([])

    await twin.advance({ to: '2026-06-01T00:00:00Z' })
    expect(linesOf(await newestInvoice(twin))).toEqual(['5000 1 × 50.00 USD'])
    expect(await twin.get(path)).toMatchObject({ status: 'active' })
  })

  test('a second change credits what the first one charged', async () => {
    const { twin, change, item, prices } = await begin()
    await twin.advance({ to: '2026-04-11T00:00:00Z' })
    await change({ items: [{ id: item, price: prices.pro }] })
    // 20 of 30 days remain.
    expect(await pendingAmounts(twin)).toEqual([-1333, 3333])
    await twin.advance({ to: '2026-04-21T00:00:00Z' })
    await change({ items: [{ id: item, price: prices.max }] })
    // Half of 33.33 and 10 days of 90.00.
    expect(await pendingAmounts(twin)).toEqual([-1333, 3333, -1667, 3000])
  })

  test('a quantity that goes up and down in one second costs nothing', async () => {
    const { twin, change, item } = await begin()
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, quantity: 3 }] })
    await change({ items: [{ id: item, quantity: 1 }] })
    expect(await pendingAmounts(twin)).toEqual([-1000, 3000, -3000, 1000])
  })

  test('after a change without proration, the next change credits only billed amounts', async () => {
    const { twin, change, item, prices } = await begin()
    await twin.advance({ to: '2026-04-11T00:00:00Z' })
    await change({ items: [{ id: item, price: prices.pro }] }, 'none')
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: prices.max }] })
    expect(await pendingAmounts(twin)).toEqual([-1000, 4500])
  })

  test('an added item is charged, and a removed one is credited', async () => {
    const { twin, change, item, prices } = await begin()
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ price: prices.pro, quantity: 2 }] })
    expect(await pendingAmounts(twin)).toEqual([5000])
    await change({ items: [{ id: item, deleted: true }] })
    expect(await pendingAmounts(twin)).toEqual([5000, -1000])
  })

  test('a free period gives no credit, and a change to a free price costs nothing', async () => {
    const { twin, change, item, prices } = await begin()
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: prices.free }] })
    expect(await pendingAmounts(twin)).toEqual([-1000])
    await change({ items: [{ id: item, price: prices.pro }] })
    expect(await pendingAmounts(twin)).toEqual([-1000, 2500])
  })

  test('an invoice that was voided gives no credit', async () => {
    const { twin, change, item, prices } = await begin({ collection_method: 'send_invoice' })
    const { id } = await newestInvoice(twin)
    await twin.post(`/v1/invoices/${id}/void`)
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: prices.pro }] })
    expect(await pendingAmounts(twin)).toEqual([2500])
  })

  test('counts from proration_date', async () => {
    const { twin, change, item, prices } = await begin()
    await twin.advance({ to: '2026-04-20T07:00:00Z' })
    await change({ items: [{ id: item, price: prices.pro }], proration_date: at(MIDDLE) })
    expect(await pendingAmounts(twin)).toEqual([-1000, 2500])
  })

  test('divides the period of a short month to the second', async () => {
    const twin = await openTwin({ now: '2026-01-31T10:00:00Z' })
    const { subscription } = await subscribe(twin)
    const { id } = await makePrice(twin, { unit_amount: 5000 })
    // 28 days until 28 February, 10:00; a quarter and one second remain.
    await twin.advance({ to: '2026-02-21T09:59:59Z' })
    const [item] = subscription.items.data
    await twin.post(`/v1/subscriptions/${subscription.id}`, {
      items: [{ id: item.id, price: id, quantity: 1000 }],
      proration_behavior: 'create_prorations',
    })
    // 5,000,000 × 604,801 / 2,419,200 = 1,250,002.07
    expect(await pendingAmounts(twin)).toEqual([-500, 1_250_002])
  })

  test('nothing is prorated during a trial', async () => {
    const { twin, change, item, prices } = await begin({ trial_period_days: 14 })
    await twin.advance({ by: '7d' })
    await change({ items: [{ id: item, price: prices.pro }] })
    expect(await pendingAmounts(twin)).toEqual([])
    await twin.advance({ by: '7d' })
    expect(await newestInvoice(twin)).toMatchObject({ total: 5000 })
  })
})

describe('always_invoice', () => {
  test('bills the change now', async () => {
    const { twin, change, item, prices, path } = await begin()
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: prices.pro }] }, 'always_invoice')
    const invoice = await newestInvoice(twin)
    expect(invoice).toMatchObject({
      ...{ status: 'paid', total: 1500, amount_paid: 1500, billing_reason: 'subscription_update' },
      ...{ period_start: at(MIDDLE), period_end: at(END) },
    })
    expect(await twin.get(path)).toMatchObject({ latest_invoice: invoice.id, current_period_end: at(END) })
    await twin.advance({ to: END })
    expect(await newestInvoice(twin)).toMatchObject({ total: 5000 })
  })

  test('a downgrade becomes a credit, which the next invoice uses', async () => {
    const { twin, change, item, prices, customer, basic } = await begin()
    await change({ items: [{ id: item, price: prices.pro }] }, 'always_invoice')
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: basic }] }, 'always_invoice')
    expect(await newestInvoice(twin)).toMatchObject({
      ...{ status: 'paid', total: -1500, amount_due: 0, amount_paid: 0, amount_remaining: 0 },
      ...{ starting_balance: 0, ending_balance: -1500, applied_balance: 1500, payment_intent: null },
    })
    expect(await twin.get(`/v1/customers/${customer.id}`)).toMatchObject({
      ...{ balance: -1500, currency: 'usd', invoice_credit_balance: { usd: -1500 } },
    })
    await twin.advance({ to: END })
    const renewal = await newestInvoice(twin)
    expect(renewal).toMatchObject({
      ...{ total: 2000, amount_due: 500, amount_paid: 500, starting_balance: -1500, ending_balance: 0 },
    })
    const [charge] = (await twin.get('/v1/charges?limit=1')).data
    expect(charge).toMatchObject({ amount: 500, invoice: renewal.id })
    const transactions = await listAll(twin, `/v1/customers/${customer.id}/balance_transactions`)
    expect(transactions.map(({ type, amount, ending_balance }) => [type, amount, ending_balance])).toEqual([
      ['applied_to_invoice', -1500, -1500],
      ['applied_to_invoice', 1500, 0],
    ])
  })

  test('a declined payment makes the subscription past_due, or is refused whole', async () => {
    const { twin, change, item, prices, path } = await begin({
      outcomes: ['succeed', 'decline:insufficient_funds', 'decline:insufficient_funds'],
    })
    await twin.advance({ to: MIDDLE })
    const items = [{ id: item, price: prices.pro }]
    const before = await twin.get(path)
    const refused = await twin.request('POST', path, {
      ...{ items, proration_behavior: 'always_invoice', payment_behavior: 'error_if_incomplete' },
    })
    expect(refused).toMatchObject({ status: 402, body: { error: { decline_code: 'insufficient_funds' } } })
    expect(await twin.get(path)).toEqual(before)
    expect(await pendingAmounts(twin)).toEqual([])
    expect(await change({ items }, 'always_invoice')).toMatchObject({ status: 'past_due' })
    expect(await newestInvoice(twin)).toMatchObject({ status: 'open', total: 1500, attempt_count: 1 })
    await twin.advance({ by: '1d' })
    expect(await twin.get(path)).toMatchObject({ status: 'active' })
  })
})

describe('a new period', () => {
  test('a change of the interval credits the rest, and bills the new period now', async () => {
    const { twin, change, item, prices, path } = await begin()
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: prices.yearly }] })
    expect(linesOf(await newestInvoice(twin))).toEqual([
      '-1000 Unused time on Basic after 2026-04-16',
      '20000 1 × 200.00 USD',
    ])
    expect(await twin.get(path)).toMatchObject({
      ...{ billing_cycle_anchor: at(MIDDLE), current_period_start: at(MIDDLE) },
      current_period_end: at('2027-04-16T00:00:00Z'),
    })
    await twin.advance({ to: '2027-04-16T00:00:00Z' })
    expect(linesOf(await newestInvoice(twin))).toEqual(['20000 1 × 200.00 USD'])
  })

  test('billing_cycle_anchor now begins a period, and a later change credits that one alone', async () => {
    const { twin, change, item, prices } = await begin()
    await twin.advance({ to: MIDDLE })
    await change({ billing_cycle_anchor: 'now' })
    expect(linesOf(await newestInvoice(twin))).toEqual([
      '-1000 Unused time on Basic after 2026-04-16',
      '2000 1 × 20.00 USD',
    ])
    await twin.advance({ to: '2026-05-01T00:00:00Z' })
    await change({ items: [{ id: item, price: prices.pro }] })
    expect(await pendingAmounts(twin)).toEqual([-1000, 2500])
  })
})

describe('canceling', () => {
  test('prorate and invoice_now credit the rest to the balance', async () => {
    const { twin, path, customer } = await begin()
    await twin.advance({ to: MIDDLE })
    expect(await twin.delete(path, { prorate: true, invoice_now: true })).toMatchObject({
      status: 'canceled',
    })
    expect(await newestInvoice(twin)).toMatchObject({ total: -1000, status: 'paid' })
    expect(await twin.get(`/v1/customers/${customer.id}`)).toMatchObject({ balance: -1000 })
  })

  test('without invoice_now the next manual invoice has the credit', async () => {
    const { twin, path, customer } = await begin()
    await twin.advance({ to: MIDDLE })
    await twin.delete(path, { prorate: true })
    expect(await pendingAmounts(twin)).toEqual([-1000])
    const draft = await twin.post('/v1/invoices', { customer: customer.id })
    expect(draft).toMatchObject({ total: -1000, amount_due: 0 })
  })

  test('pending items are billed at the end of the period', async () => {
    const { twin, change, item, prices, path } = await begin()
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: prices.pro }] })
    await twin.post(path, { cancel_at_period_end: true })
    await twin.advance({ to: END })
    expect(await twin.get(path)).toMatchObject({ status: 'canceled' })
    expect(await newestInvoice(twin)).toMatchObject({ total: 1500, status: 'paid' })
  })
})

describe('with more items waiting than an invoice takes', () => {
  const WAITING = 250

  /** A subscription for which as many items of 1 wait as its next invoice takes. */
  async function beginWaiting() {
    const begun = await begin()
    const { twin, customer, subscription } = begun
    const item = { customer: customer.id, subscription: subscription.id, amount: 1, currency: 'usd' }
    for (let count = 0; count < WAITING; count += 1) await twin.post('/v1/invoiceitems', item)
    return begun
  }

  test('a change credits what the change before it charged', async () => {
    const { twin, change, item } = await beginWaiting()
    await twin.advance({ to: MIDDLE })
    for (const quantity of [2, 3]) await change({ items: [{ id: item, quantity }] })
    expect((await pendingAmounts(twin)).slice(-4)).toEqual([-1000, 2000, -2000, 3000])
  })

  test('those beyond the limit are billed by the next invoice', async () => {
    const { twin, change, item, prices } = await beginWaiting()
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: prices.pro }] })
    await twin.advance({ to: END })
    expect(await pendingAmounts(twin)).toEqual([-1000, 2500])
    await twin.advance({ to: '2026-06-01T00:00:00Z' })
    expect(await newestInvoice(twin)).toMatchObject({ total: 6500 })
    expect(await pendingAmounts(twin)).toEqual([])
  })

  test('a cancellation bills those up to the limit or none, and the next manual invoices bill the rest', async () => {
    const billed = await beginWaiting()
    await billed.twin.advance({ to: MIDDLE })
    await billed.change({ items: [{ id: billed.item, price: billed.prices.pro }] })
    await billed.twin.delete(`${billed.path}?invoice_now=true`)
    expect(await newestInvoice(billed.twin)).toMatchObject({ total: WAITING })
    const rest = await billed.twin.post('/v1/invoices', { customer: billed.customer.id })
    expect(rest.total).toBe(1500)

    const left = await beginWaiting()
    await left.twin.advance({ to: MIDDLE })
    await left.change({ items: [{ id: left.item, price: left.prices.pro }] })
    await left.twin.delete(left.path)
    const first = await left.twin.post('/v1/invoices', { customer: left.customer.id })
    const second = await left.twin.post('/v1/invoices', { customer: left.customer.id })
    expect([first.total, second.total]).toEqual([WAITING, 1500])
  })

  test.each(['a planned cancellation', 'the end of a trial on request'])(
    '%s bills those up to the limit, and the next manual invoice bills the rest',
    async (end) => {
      const isTrial = end !== 'a planned cancellation'
      const { twin, path, customer, subscription } = await begin(isTrial ? { trial_period_days: 14 } : {})
      const item = { customer: customer.id, subscription: subscription.id, amount: 1, currency: 'usd' }
      for (let count = 0; count < WAITING + 3; count += 1) await twin.post('/v1/invoiceitems', item)
      await twin.post(path, { cancel_at_period_end: true })
      if (isTrial) await twin.post(path, { trial_end: 'now' })
      else await twin.advance({ to: END })

      expect(await twin.get(path)).toMatchObject({ status: 'canceled' })
      const last = await newestInvoice(twin)
      expect(last).toMatchObject({
        status: 'paid',
        billing_reason: 'subscription_update',
        total: WAITING,
      })
      const rest = await twin.post('/v1/invoices', { customer: customer.id })
      expect(rest.total).toBe(3)
      const items = await listAll(twin, '/v1/invoiceitems')
      expect(items.filter(({ invoice }) => invoice === last.id)).toHaveLength(WAITING)
      expect(items.filter(({ invoice }) => invoice === rest.id)).toHaveLength(3)
    },
  )
})

describe('with waiting items that exceed the largest amount', () => {
  const begin3 = async () => {
    const begun = await begin()
    const { twin, customer, subscription } = begun
    const item = { customer: customer.id, subscription: subscription.id, amount: 60_000_000, currency: 'usd' }
    for (let count = 0; count < 3; count += 1) await twin.post('/v1/invoiceitems', item)
    return begun
  }

  test('renewals do not fail: each bills items up to the largest amount', async () => {
    const { twin } = await begin3()
    await twin.advance({ by: '2mo' })
    const { data } = await twin.get('/v1/invoices?limit=2')
    expect(data.map(({ total }: Body) => total)).toEqual([60_002_000, 60_002_000])
    expect(await pendingAmounts(twin)).toEqual([60_000_000])
  })

  test('an end bills items up to the largest amount, and the next manual invoice bills the rest', async () => {
    const { twin, path, customer } = await begin3()
    await twin.post(path, { cancel_at_period_end: true })
    await twin.advance({ to: END })
    expect(await twin.get(path)).toMatchObject({ status: 'canceled' })
    expect(await newestInvoice(twin)).toMatchObject({ total: 60_000_000 })
    const [item] = await listAll(twin, '/v1/invoiceitems?pending=true')
    await twin.delete(`/v1/invoiceitems/${item?.id}`)
    expect(await twin.post('/v1/invoices', { customer: customer.id })).toMatchObject({ total: 60_000_000 })
  })
})

test('pending items of a subscription that expires are billed by the next manual invoice', async () => {
  const { twin, customer, subscription } = await begin({
    outcomes: [],
    afterwards: 'decline:insufficient_funds',
  })
  expect(subscription.status).toBe('incomplete')
  const item = { customer: customer.id, subscription: subscription.id, amount: 500, currency: 'usd' }
  await twin.post('/v1/invoiceitems', item)
  await twin.advance({ by: '12d' })
  expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
    status: 'incomplete_expired',
  })
  expect(await twin.post('/v1/invoices', { customer: customer.id })).toMatchObject({ total: 500 })
})

describe('refused', () => {
  test.each<[string, Body, string]>([
    ['a date without proration', { proration_date: at(MIDDLE) }, 'proration_date'],
    [
      'a date before the period',
      { proration_behavior: 'create_prorations', proration_date: at(START) - 1 },
      'proration_date',
    ],
    [
      'a date after the period',
      { proration_behavior: 'create_prorations', proration_date: at(END) + 1 },
      'proration_date',
    ],
    ['an unknown behavior', { proration_behavior: 'sometimes' }, 'proration_behavior'],
  ])('%s', async (_, params, param) => {
    const { twin, path } = await begin()
    const before = await twin.get(path)
    expect(await twin.request('POST', path, params)).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_invalid', param } },
    })
    expect(await twin.get(path)).toEqual(before)
  })
})
