import { describe, expect, test } from 'vitest'
import { type Body, makePrice, type Twin } from '../twin.ts'
import {
  adjust,
  balanceOf,
  begin,
  END,
  invoicesOf,
  linesOf,
  MIDDLE,
  newestInvoice,
  pendingAmounts,
  transactionsOf,
} from './plan-story.ts'
import { at, openTwin, PACES, QUICK_PACES, subscribe } from './story.ts'

/** A subscription that begins at some instant, with a price of its own. */
async function beginAt(now: string, price: Body) {
  const twin = await openTwin({ now })
  const { subscription, customer } = await subscribe(twin, { price: { nickname: 'Old', ...price } })
  const path = `/v1/subscriptions/${subscription.id}`
  const change = (params: Body, proration_behavior = 'create_prorations') =>
    twin.post(path, {
      proration_behavior,
      items: [{ id: subscription.items.data[0].id, ...params }],
    })
  const priceOf = async (unit_amount: number): Promise<string> =>
    (await makePrice(twin, { nickname: 'New', ...price, unit_amount })).id
  return { twin, customer, subscription, path, change, priceOf }
}

const YEAR = { recurring: { interval: 'year' } }

describe.each(QUICK_PACES)('years, in %s:', (_, pace) => {
  const go = (twin: Twin, until: string) => pace(twin, at(until))

  test('a year from 29 February has 365 days, and ends on the 28th until the next leap year', async () => {
    const { twin, change, priceOf, path } = await beginAt('2028-02-29T00:00:00Z', {
      unit_amount: 36_500,
      ...YEAR,
    })
    await go(twin, '2028-03-10T00:00:00Z')
    await change({ price: await priceOf(73_000) })
    // 355 of 365 days remain.
    expect(await pendingAmounts(twin)).toEqual([-35_500, 71_000])
    await go(twin, '2029-02-28T00:00:00Z')
    expect(await newestInvoice(twin)).toMatchObject({ total: 108_500, status: 'paid' })
    await go(twin, '2032-02-29T00:00:00Z')
    expect(await newestInvoice(twin)).toMatchObject({
      total: 73_000,
      period_start: at('2032-02-29T00:00:00Z'),
    })
    expect(await twin.get(path)).toMatchObject({ current_period_end: at('2033-02-28T00:00:00Z') })
  })

  test('a year with a leap day has 366 days', async () => {
    const { twin, change } = await beginAt('2028-01-01T00:00:00Z', { unit_amount: 36_600, ...YEAR })
    await go(twin, '2028-02-29T00:00:00Z')
    await change({ quantity: 2 })
    // 59 days have passed, 307 remain.
    expect(await pendingAmounts(twin)).toEqual([-30_700, 61_400])
    await go(twin, '2029-01-01T00:00:00Z')
    expect(await newestInvoice(twin)).toMatchObject({ total: 30_700 + 73_200 })
  })
})

describe.each(Object.entries(PACES))('in %s:', (_, pace) => {
  const go = (twin: Twin, until: string) => pace(twin, at(until))

  test('months from the 31st have 28 and 31 days', async () => {
    const { twin, change, priceOf } = await beginAt('2026-01-31T00:00:00Z', { unit_amount: 2800 })
    await go(twin, '2026-02-14T00:00:00Z')
    await change({ price: await priceOf(5600) })
    expect(await pendingAmounts(twin)).toEqual([-1400, 2800])
    await go(twin, '2026-03-10T00:00:00Z')
    expect(await newestInvoice(twin)).toMatchObject({ total: 7000 })
    await change({ price: await priceOf(9300) })
    // 21 of 31 days until 31 March; 5600 × 21 / 31 = 3793.5
    expect(await pendingAmounts(twin)).toEqual([-3794, 6300])
    await go(twin, '2026-04-30T00:00:00Z')
    expect(await invoicesOf(twin)).toEqual([
      'paid 2800 due 2800',
      'paid 7000 due 7000',
      'paid 11806 due 11806',
      'paid 9300 due 9300',
    ])
  })

  test('days have 24 hours when clocks are changed for the summer', async () => {
    const { twin, change } = await beginAt('2026-03-01T00:00:00Z', { unit_amount: 3100 })
    await go(twin, '2026-03-29T00:00:00Z')
    await change({ quantity: 2 })
    expect(await pendingAmounts(twin)).toEqual([-300, 600])
    await go(twin, '2026-03-30T00:00:00Z')
    await change({ quantity: 1 })
    expect(await pendingAmounts(twin)).toEqual([-300, 600, -400, 200])
    await go(twin, '2026-04-01T00:00:00Z')
    expect(await newestInvoice(twin)).toMatchObject({ total: 3200 })
  })

  test('a quantity goes up and down within a day', async () => {
    const { twin, change, item } = await begin()
    await go(twin, MIDDLE)
    await change({ items: [{ id: item, quantity: 3 }] })
    await go(twin, '2026-04-16T12:00:00Z')
    await change({ items: [{ id: item, quantity: 1 }] })
    // 14.5 of 30 days: 60.00 × 14.5 / 30 = 29.00, 20.00 × 14.5 / 30 = 9.67
    expect(await pendingAmounts(twin)).toEqual([-1000, 3000, -2900, 967])
    await go(twin, END)
    expect(await newestInvoice(twin)).toMatchObject({ total: 2067 })
  })

  test('a change while past_due is billed after the recovery', async () => {
    const decline = 'decline:insufficient_funds'
    const { twin, change, item, prices, path } = await begin({ outcomes: ['succeed', decline, decline] })
    await go(twin, '2026-05-03T00:00:00Z')
    // 29 of 31 days remain: 2000 × 29 / 31 = 1870.97, 5000 × 29 / 31 = 4677.42
    const changed = await change({ items: [{ id: item, price: prices.pro }] })
    expect(changed.status).toBe('past_due')
    expect(await pendingAmounts(twin)).toEqual([-1871, 4677])
    await go(twin, '2026-05-04T00:00:00Z')
    expect(await twin.get(path)).toMatchObject({ status: 'active' })
    await go(twin, '2026-06-01T00:00:00Z')
    expect(await invoicesOf(twin)).toEqual(['paid 2000 due 2000', 'paid 2000 due 2000', 'paid 7806 due 7806'])
  })

  test('a change that is paid while past_due leaves the older invoice to its retries', async () => {
    const decline = 'decline:insufficient_funds'
    const { twin, change, item, prices, path } = await begin({ outcomes: ['succeed', decline, decline] })
    await go(twin, '2026-05-03T00:00:00Z')
    const changed = await change({ items: [{ id: item, price: prices.pro }] }, 'always_invoice')
    expect(changed).toMatchObject({ status: 'past_due', latest_invoice: (await newestInvoice(twin)).id })
    expect(await invoicesOf(twin)).toEqual(['paid 2000 due 2000', 'open 2000 due 2000', 'paid 2806 due 2806'])
    await go(twin, '2026-05-04T00:00:00Z')
    expect(await twin.get(path)).toMatchObject({ status: 'active' })
  })

  test.each([
    // A draft counts as billed: 20.00 / 3 − 10.00 × 2 / 3 + 25.00 × 2 / 3 = 16.67 are unused on the 21st.
    ['keep_as_draft', 'draft', 3000 - 1667],
    // What is held back for good billed nothing: 20.00 / 3 = 6.67 are unused.
    ['void', 'void', 3000 - 667],
    ['mark_uncollectible', 'uncollectible', 3000 - 667],
  ])('changes while collection is paused: %s', async (behavior, status, second) => {
    const { twin, change, item, prices, path } = await begin()
    await go(twin, MIDDLE)
    await twin.post(path, { pause_collection: { behavior, resumes_at: at('2026-04-25T00:00:00Z') } })
    await change({ items: [{ id: item, price: prices.pro }] }, 'always_invoice')
    await go(twin, '2026-04-21T00:00:00Z')
    await change({ items: [{ id: item, price: prices.max }] }, 'always_invoice')
    await go(twin, END)
    expect(await invoicesOf(twin)).toEqual([
      'paid 2000 due 2000',
      `${status} 1500 due 1500`,
      `${status} ${second} due ${second}`,
      'paid 9000 due 9000',
    ])
    expect(await twin.get(path)).toMatchObject({ status: 'active', pause_collection: null })
  })

  test('a planned cancellation bills pending items, and nothing afterwards', async () => {
    const { twin, change, item, prices, path } = await begin()
    await go(twin, MIDDLE)
    await change({ items: [{ id: item, price: prices.pro }] })
    await twin.post(path, { cancel_at_period_end: true })
    await go(twin, '2026-07-01T00:00:00Z')
    expect(await invoicesOf(twin)).toEqual(['paid 2000 due 2000', 'paid 1500 due 1500'])
    expect(linesOf(await newestInvoice(twin))).toEqual([
      '-1000 Unused time on Basic after 2026-04-16',
      '2500 Remaining time on Pro after 2026-04-16',
    ])
    expect(await newestInvoice(twin)).toMatchObject({
      created: at(END),
      billing_reason: 'subscription_update',
    })
    expect(await twin.get(path)).toMatchObject({ status: 'canceled', ended_at: at(END) })
  })

  test('a credit that exceeds the next invoices lasts for several periods', async () => {
    const { twin, customer } = await begin()
    await adjust(twin, customer, -5000)
    await adjust(twin, customer, -9900, 'eur')
    await go(twin, '2026-08-01T00:00:00Z')
    expect(await invoicesOf(twin)).toEqual([
      'paid 2000 due 2000',
      'paid 2000 due 0',
      'paid 2000 due 0',
      'paid 2000 due 1000',
      'paid 2000 due 2000',
    ])
    expect(await transactionsOf(twin, customer)).toEqual([
      'adjustment -5000',
      'adjustment -9900',
      'applied_to_invoice 2000',
      'applied_to_invoice 2000',
      'applied_to_invoice 1000',
    ])
    expect([await balanceOf(twin, customer), await balanceOf(twin, customer, 'eur')]).toEqual([0, -9900])
  })

  test('a debt is added to the next invoice, also if a first attempt fails', async () => {
    const { twin, customer } = await begin({ outcomes: ['succeed', 'decline:expired_card'] })
    await adjust(twin, customer, 700)
    await go(twin, END)
    expect(await newestInvoice(twin)).toMatchObject({ status: 'open', total: 2000, amount_due: 2700 })
    expect(await balanceOf(twin, customer)).toBe(0)
    await go(twin, '2026-06-01T00:00:00Z')
    expect(await invoicesOf(twin)).toEqual(['paid 2000 due 2000', 'paid 2000 due 2700', 'paid 2000 due 2000'])
    expect(await transactionsOf(twin, customer)).toEqual(['adjustment 700', 'applied_to_invoice -700'])
  })

  test.each([
    ['a credit', -500, 1500],
    ['a debt', 300, 2300],
  ])('voiding an invoice returns %s, which the next one uses', async (_, amount, due) => {
    const { twin, customer } = await begin({ collection_method: 'send_invoice' })
    await adjust(twin, customer, amount)
    await go(twin, END)
    const { id } = await newestInvoice(twin)
    expect(await balanceOf(twin, customer)).toBe(0)
    await twin.post(`/v1/invoices/${id}/void`)
    expect(await balanceOf(twin, customer)).toBe(amount)
    await go(twin, '2026-06-01T00:00:00Z')
    expect(await invoicesOf(twin)).toEqual([
      'open 2000 due 2000',
      `void 2000 due ${due}`,
      `open 2000 due ${due}`,
    ])
    expect(await transactionsOf(twin, customer)).toEqual([
      `adjustment ${amount}`,
      `applied_to_invoice ${-amount}`,
      `unapplied_from_invoice ${amount}`,
      `applied_to_invoice ${-amount}`,
    ])
  })
})
