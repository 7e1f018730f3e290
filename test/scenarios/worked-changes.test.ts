import { describe, expect, test } from 'vitest'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { adjust, balanceOf, pendingAmounts } from './plan-story.ts'
import { billsOf } from './schedule-story.ts'
import { at, openTwin, QUICK_PACES, subscribe } from './story.ts'

/** Changes within a period, each with its amounts computed by hand beside it. */
type Example = {
  readonly now?: string
  readonly play: (twin: Twin, go: (until: string) => Promise<void>) => Promise<unknown>
  /** All invoices, oldest first. */
  readonly bills: readonly string[]
}

const APRIL = '2026-04-01T00:00:00Z'
/** The middle of the 30 days of April. */
const MIDDLE = '2026-04-16T00:00:00Z'
const MAY = '2026-05-01T00:00:00Z'

/** A subscription, and functions that change it. */
async function begin(twin: Twin, given: Body = {}) {
  const { subscription, customer } = await subscribe(twin, given)
  const path = `/v1/subscriptions/${subscription.id}`
  const [{ id }] = subscription.items.data
  const update = (params: Body, proration_behavior = 'create_prorations') =>
    twin.post(path, { proration_behavior, ...params })
  const change = (item: Body, behavior?: string) => update({ items: [{ id, ...item }] }, behavior)
  return { subscription, customer, path, update, change }
}

const forever = async (twin: Twin, id: string, params: Body): Promise<Body> => {
  await twin.post('/v1/coupons', { id, duration: 'forever', ...params })
  return { coupon: id }
}

const stacked = (order: readonly ['PERCENT' | 'AMOUNT', 'PERCENT' | 'AMOUNT'], pending: readonly number[]) =>
  (async (twin, go) => {
    await forever(twin, 'PERCENT', { percent_off: 10 })
    await forever(twin, 'AMOUNT', { amount_off: 300, currency: 'usd' })
    const { change } = await begin(twin, { discounts: order.map((coupon) => ({ coupon })) })
    const { id: price } = await makePrice(twin, { unit_amount: 5000 })
    await go(MIDDLE)
    await change({ price })
    expect(await pendingAmounts(twin)).toEqual(pending)
    await go(MAY)
  }) satisfies Example['play']

const EXAMPLES: Readonly<Record<string, Example>> = {
  '10 % and then 3.00 off, with a proration': {
    // 20.00 − 2.00 − 3.00, of which half is unused; 50.00 − 5.00 − 3.00, of which half remains.
    play: stacked(['PERCENT', 'AMOUNT'], [-750, 2100]),
    bills: ['2026-04-01 1500 to 2026-05-01', '2026-05-01 5550 to 2026-06-01'],
  },
  '3.00 and then 10 % off, with a proration': {
    // 20.00 − 3.00 − 1.70, of which half is unused; 50.00 − 3.00 − 4.70, of which half remains.
    play: stacked(['AMOUNT', 'PERCENT'], [-765, 2115]),
    bills: ['2026-04-01 1530 to 2026-05-01', '2026-05-01 5580 to 2026-06-01'],
  },
  'a year that begins and ends around a leap day': {
    now: '2028-01-31T00:00:00Z',
    play: async (twin, go) => {
      const { change, customer } = await begin(twin, { price: { unit_amount: 2900 } })
      const monthly = (await twin.get('/v1/prices?limit=1')).data[0].id
      const year = await makePrice(twin, { unit_amount: 36_600, recurring: { interval: 'year' } })
      await go('2028-02-14T00:00:00Z')
      // 15 of 29 days remain: −15.00.
      await change({ price: year.id })
      await go('2028-02-29T00:00:00Z')
      // 351 of 366 days remain: −351.00.
      await change({ price: monthly })
      expect(await balanceOf(twin, customer)).toBe(-32_200)
      await go('2028-03-29T00:00:00Z')
    },
    bills: [
      '2028-01-31 2900 to 2028-02-29',
      '2028-02-14 35100 to 2029-02-14',
      '2028-02-29 -32200 to 2028-03-29',
      '2028-03-29 2900 to 2028-04-29',
    ],
  },
  'a quantity up and down within a day': {
    play: async (twin, go) => {
      const { change } = await begin(twin)
      await go(MIDDLE)
      await change({ quantity: 3 })
      await go('2026-04-16T12:00:00Z')
      await change({ quantity: 1 })
      // 14.5 of 30 days remain: 20.00, −10.00 and 30.00 leave 29.00; 9.67 are charged for one.
      expect(await pendingAmounts(twin)).toEqual([-1000, 3000, -2900, 967])
      await go(MAY)
    },
    // Half a day of two more: 0.67.
    bills: ['2026-04-01 2000 to 2026-05-01', '2026-05-01 2067 to 2026-06-01'],
  },
  'half cents with a discount': {
    play: async (twin, go) => {
      const price = { unit_amount: undefined, unit_amount_decimal: '0.5' }
      const { change } = await begin(twin, {
        price,
        discounts: [await forever(twin, 'OFF', { percent_off: 10 })],
      })
      await go(MIDDLE)
      await change({ quantity: 30_001 })
      // 0.01 of which half is unused; half of 150.005 − 15.00 is 67.5025.
      expect(await pendingAmounts(twin)).toEqual([-1, 6750])
      await go(MAY)
    },
    // 150.01 − 15.00 + 67.49
    bills: ['2026-04-01 1 to 2026-05-01', '2026-05-01 20250 to 2026-06-01'],
  },
  'all of half a cent off': {
    play: async (twin, go) => {
      const price = { unit_amount: undefined, unit_amount_decimal: '0.5' }
      const { change } = await begin(twin, {
        price,
        discounts: [await forever(twin, 'OFF', { percent_off: 100 })],
      })
      await change({ quantity: 3 })
      expect(await pendingAmounts(twin)).toEqual([])
      await go(MAY)
    },
    bills: ['2026-04-01 0 to 2026-05-01', '2026-05-01 0 to 2026-06-01'],
  },
  'a first period up to an anchor, with another quantity': {
    now: MIDDLE,
    play: async (twin, go) => {
      const { change } = await begin(twin, { price: { unit_amount: 3000 }, billing_cycle_anchor: at(MAY) })
      await go('2026-04-21T00:00:00Z')
      await change({ quantity: 2 })
      // 10 of the 15 billed days remain; 10 of the 30 days of April.
      expect(await pendingAmounts(twin)).toEqual([-1000, 2000])
      await go(MAY)
    },
    bills: ['2026-04-16 1500 to 2026-05-01', '2026-05-01 7000 to 2026-06-01'],
  },
  'a first period up to an anchor, and then a year': {
    now: MIDDLE,
    play: async (twin, go) => {
      const { change } = await begin(twin, { price: { unit_amount: 3000 }, billing_cycle_anchor: at(MAY) })
      const year = await makePrice(twin, { unit_amount: 36_500, recurring: { interval: 'year' } })
      await go('2026-04-21T00:00:00Z')
      await change({ price: year.id })
    },
    bills: ['2026-04-16 1500 to 2026-05-01', '2026-04-21 35500 to 2027-04-21'],
  },
  'graduated tiers beyond their border': {
    play: async (twin, go) => {
      const { change } = await begin(twin, {
        items: [{ price: await tiered(twin, 'graduated'), quantity: 5 }],
      })
      await go(MIDDLE)
      await change({ quantity: 7 })
      // Half of 35.00, and half of 35.00 + 12.00.
      expect(await pendingAmounts(twin)).toEqual([-1750, 2350])
      await go(MAY)
    },
    bills: ['2026-04-01 3500 to 2026-05-01', '2026-05-01 5300 to 2026-06-01'],
  },
  'volume tiers beyond their border': {
    play: async (twin, go) => {
      const { change } = await begin(twin, { items: [{ price: await tiered(twin, 'volume'), quantity: 5 }] })
      await go(MIDDLE)
      await change({ quantity: 6 })
      // Half of 35.00, and half of 36.00.
      expect(await pendingAmounts(twin)).toEqual([-1750, 1800])
      await go(MAY)
    },
    bills: ['2026-04-01 3500 to 2026-05-01', '2026-05-01 3650 to 2026-06-01'],
  },
  'a balance that crosses zero, twice': {
    play: async (twin, go) => {
      const { customer } = await begin(twin)
      await adjust(twin, customer, -2500)
      await go(MAY)
      expect(await balanceOf(twin, customer)).toBe(-500)
      await adjust(twin, customer, 1200)
      await go('2026-06-01T00:00:00Z')
      expect(await balanceOf(twin, customer)).toBe(0)
      const due = (await twin.get('/v1/invoices')).data.map(({ amount_due }: Body) => amount_due)
      // −25.00 + 20.00 = −5.00; −5.00 + 12.00 + 20.00 = 27.00.
      expect(due).toEqual([2700, 0, 2000])
    },
    bills: [
      '2026-04-01 2000 to 2026-05-01',
      '2026-05-01 2000 to 2026-06-01',
      '2026-06-01 2000 to 2026-07-01',
    ],
  },
  'a cancellation of a period that is not paid': {
    play: async (twin, go) => {
      const { path, customer } = await begin(twin, {
        outcomes: ['succeed'],
        afterwards: 'decline:expired_card',
      })
      await go('2026-05-01T12:00:00Z')
      await twin.delete(path, { prorate: true, invoice_now: true })
      // 30.5 of 31 days remain: 19.68 of the 20.00 that stay open.
      expect(await balanceOf(twin, customer)).toBe(-1968)
      expect((await twin.get('/v1/invoices')).data.map(({ status }: Body) => status)).toEqual([
        ...['paid', 'open', 'paid'],
      ])
    },
    bills: [
      '2026-04-01 2000 to 2026-05-01',
      '2026-05-01 2000 to 2026-06-01',
      '2026-05-01 -1968 to 2026-05-01',
    ],
  },
  'a cancellation after a credit note': {
    play: async (twin, go) => {
      const { path, customer } = await begin(twin)
      await go(MIDDLE)
      const [invoice] = (await twin.get('/v1/invoices')).data
      await twin.post('/v1/credit_notes', { invoice: invoice.id, amount: 500, credit_amount: 500 })
      await twin.delete(path, { prorate: true, invoice_now: true })
      // Half of 20.00, whatever credit notes gave back.
      expect(await balanceOf(twin, customer)).toBe(-1500)
    },
    bills: ['2026-04-01 2000 to 2026-05-01', '2026-04-16 -1000 to 2026-04-16'],
  },
}

const tiered = async (twin: Twin, tiers_mode: string): Promise<string> => {
  const tiers = [
    { up_to: 5, unit_amount: 700 },
    { up_to: 'inf', unit_amount: 600 },
  ]
  return (await makePrice(twin, { unit_amount: undefined, billing_scheme: 'tiered', tiers_mode, tiers })).id
}

describe.each(QUICK_PACES)('in %s:', (_, pace) => {
  test.each(Object.entries(EXAMPLES))('%s', async (_name, { now = APRIL, play, bills }) => {
    const twin = await openTwin({ now })
    await play(twin, (until) => pace(twin, at(until)))
    expect(await billsOf(twin)).toEqual(bills)
  })
})
