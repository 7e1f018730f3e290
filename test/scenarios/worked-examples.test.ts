import { describe, expect, test } from 'vitest'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { pendingAmounts } from './plan-story.ts'
import { billsOf, makeSchedule } from './schedule-story.ts'
import { at, openTwin, QUICK_PACES, subscribe } from './story.ts'

/** Rules that meet: leap days, borders of tiers and of periods, and discounts. Each amount is computed by hand beside it. */
type Example = {
  readonly now: string
  readonly play: (twin: Twin, go: (until: string) => Promise<void>) => Promise<unknown>
  /** All invoices, oldest first. */
  readonly bills: readonly string[]
}

const coupon = (twin: Twin, params: Body) =>
  twin.post('/v1/coupons', { id: 'OFF', duration: 'forever', ...params })
const OFF = { discounts: [{ coupon: 'OFF' }] }

/** A subscription with the coupon OFF, and a function that changes its item. */
async function begin(twin: Twin, price: Body, given: Body = {}) {
  const { subscription, customer } = await subscribe(twin, { price, ...OFF, ...given })
  const [{ id }] = subscription.items.data
  const path = `/v1/subscriptions/${subscription.id}`
  const change = (params: Body, proration_behavior = 'create_prorations', proration_date?: number) =>
    twin.post(path, { proration_behavior, items: [{ id, ...params }], proration_date })
  /** Adds an item with a price of an amount. */
  const add = async (unit_amount: number) => {
    const { id: price } = await makePrice(twin, { unit_amount })
    return twin.post(path, { proration_behavior: 'create_prorations', items: [{ price }] })
  }
  return { change, add, customer, subscription }
}

/** A subscription to 20.00 a month, with 50 % and 0.01 off. */
async function beginWithHalfAndCent(twin: Twin) {
  await coupon(twin, { percent_off: 50 })
  await twin.post('/v1/coupons', { id: 'CENT', duration: 'forever', amount_off: 1, currency: 'usd' })
  return begin(twin, { unit_amount: 2000 }, { discounts: [{ coupon: 'OFF' }, { coupon: 'CENT' }] })
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  'a discounted year with a leap day': {
    now: '2028-01-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { percent_off: 10 })
      const { change } = await begin(twin, { unit_amount: 36_600, recurring: { interval: 'year' } })
      await go('2028-02-29T00:00:00Z')
      await change({ quantity: 2 })
      // 307 of 366 days remain: of 329.40, and of 658.80.
      expect(await pendingAmounts(twin)).toEqual([-27_630, 55_260])
      await go('2029-01-01T00:00:00Z')
    },
    // 658.80 − 276.30 + 552.60
    bills: ['2028-01-01 32940 to 2029-01-01', '2029-01-01 93510 to 2030-01-01'],
  },
  'a discount of one month from 31 January to 29 February': {
    now: '2028-01-31T10:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { percent_off: 50, duration: 'repeating', duration_in_months: 1 })
      await begin(twin, {})
      await go('2028-03-31T10:00:00Z')
    },
    bills: [
      '2028-01-31 1000 to 2028-02-29',
      '2028-02-29 2000 to 2028-03-31',
      '2028-03-31 2000 to 2028-04-30',
    ],
  },
  'a discounted quantity up and down within a day': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 300, currency: 'usd' })
      const { change } = await begin(twin, { unit_amount: 3000 })
      await go('2026-04-10T00:00:00Z')
      await change({ quantity: 3 })
      await go('2026-04-10T12:00:00Z')
      await change({ quantity: 1 })
      // 21 of 30 days of 27.00 and of 87.00; then 20.5 of the 21 days, and 20.5 of 30 days of 27.00.
      expect(await pendingAmounts(twin)).toEqual([-1890, 6090, -5945, 1845])
      await go('2026-05-01T00:00:00Z')
    },
    // 27.00 + half a day of 60.00 more in 30 days
    bills: ['2026-04-01 2700 to 2026-05-01', '2026-05-01 2800 to 2026-06-01'],
  },
  'an amount off two items, of which one changes': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const [first, second] = [
        await makePrice(twin, { unit_amount: 1000 }),
        await makePrice(twin, { unit_amount: 1000 }),
      ]
      const { change } = await begin(twin, {}, { items: [{ price: first.id }, { price: second.id }] })
      await go('2026-04-16T00:00:00Z')
      await change({ quantity: 9 })
      // 5.00 of the coupon stay with the other item, and 5.00 are left: half of 5.00 back, and half of 85.00.
      expect(await pendingAmounts(twin)).toEqual([-250, 4250])
      await change({ quantity: 1 })
      expect(await pendingAmounts(twin)).toEqual([-250, 4250, -4250, 250])
      await change({ quantity: 9 })
      await go('2026-05-01T00:00:00Z')
    },
    // In April both items together were 10.00 less.
    bills: ['2026-04-01 1000 to 2026-05-01', '2026-05-01 13000 to 2026-06-01'],
  },
  'three cents off three items, of which two change': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 3, currency: 'usd' })
      const prices = [200, 50, 50]
      const items: Body[] = []
      for (const unit_amount of prices) items.push({ price: (await makePrice(twin, { unit_amount })).id })
      // 0.02, 0.01 and 0.00 off.
      const { subscription } = await begin(twin, {}, { items })
      const [, second, third] = subscription.items.data
      await twin.post(`/v1/subscriptions/${subscription.id}`, {
        items: [second, third].map(({ id }) => ({ id, quantity: 4 })),
        proration_behavior: 'create_prorations',
      })
      // 0.01 of the coupon is left for both, whose half cents are not rounded up twice.
      expect(await pendingAmounts(twin)).toEqual([-49, 199, -50, 200])
      await go('2026-05-01T00:00:00Z')
    },
    // 6.00 less 0.03 in both months.
    bills: ['2026-04-01 297 to 2026-05-01', '2026-05-01 897 to 2026-06-01'],
  },
  'a quantity changed without proration, and an item added, with a percentage and an amount off': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      const { change, add } = await beginWithHalfAndCent(twin)
      await go('2026-04-02T00:00:00Z')
      await change({ quantity: 5 }, 'none')
      await go('2026-04-16T00:00:00Z')
      await add(6000)
      // Half of 60.00 − 50 %. The cent and 10.00 were taken off before, not off the 80.00 that nobody billed.
      expect(await pendingAmounts(twin)).toEqual([1500])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-01 999 to 2026-05-01', '2026-05-01 9499 to 2026-06-01'],
  },
  'a quantity changed without proration, and an item added, with an amount off': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const { id } = await makePrice(twin, { unit_amount: 2000 })
      const { change, add } = await begin(twin, {}, { items: [{ price: id, quantity: 2 }] })
      await go('2026-04-02T00:00:00Z')
      await change({ quantity: 1 }, 'none')
      await go('2026-04-16T00:00:00Z')
      await add(6000)
      // Half of 60.00: the 40.00 that were billed took all of the coupon.
      expect(await pendingAmounts(twin)).toEqual([3000])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-01 3000 to 2026-05-01', '2026-05-01 10000 to 2026-06-01'],
  },
  'an item changed to a metered price without proration keeps its amount off': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const meter = await twin.post('/v1/billing/meters', {
        ...{ display_name: 'Calls', event_name: 'calls', default_aggregation: { formula: 'sum' } },
      })
      const recurring = { interval: 'month', usage_type: 'metered', meter: meter.id }
      const { id } = await makePrice(twin, { unit_amount: 5, recurring })
      const { change, add } = await begin(twin, { unit_amount: 2000 })
      await change({ price: id }, 'none')
      await go('2026-04-16T00:00:00Z')
      await add(6000)
      expect(await pendingAmounts(twin)).toEqual([3000])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-01 1000 to 2026-05-01', '2026-05-01 8000 to 2026-06-01'],
  },
  'a change whose invoice is voided uses an amount off up': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const { change, add, subscription } = await begin(twin, { unit_amount: 400 })
      await go('2026-04-16T00:00:00Z')
      await twin.post(`/v1/subscriptions/${subscription.id}`, {
        ...{ collection_method: 'send_invoice', days_until_due: 30 },
      })
      const { latest_invoice } = await change({ quantity: 4 }, 'always_invoice')
      await twin.post(`/v1/invoices/${latest_invoice}/void`)
      await add(6000)
      expect(await pendingAmounts(twin)).toEqual([3000])
      await go('2026-05-01T00:00:00Z')
    },
    // Half of 16.00 − 10.00.
    bills: ['2026-04-01 0 to 2026-05-01', '2026-04-16 300 to 2026-05-01', '2026-05-01 9600 to 2026-06-01'],
  },
  'an amount off of which a change without any amount due takes a part': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const { change, add } = await begin(twin, { unit_amount: 400 })
      await go('2026-04-16T00:00:00Z')
      await change({ quantity: 2 })
      expect(await pendingAmounts(twin)).toEqual([])
      await add(6000)
      // Half of 60.00 − 2.00.
      expect(await pendingAmounts(twin)).toEqual([2900])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-01 0 to 2026-05-01', '2026-05-01 8700 to 2026-06-01'],
  },
  'an amount off beside a percentage of an item that a change without proration makes cheaper': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { percent_off: 50 })
      await twin.post('/v1/coupons', { id: 'CENT', duration: 'forever', amount_off: 1, currency: 'usd' })
      const { id } = await makePrice(twin, { unit_amount: 1000 })
      const { change, add } = await begin(
        twin,
        {},
        {
          ...{ items: [{ price: id, quantity: 5 }], discounts: [{ coupon: 'OFF' }, { coupon: 'CENT' }] },
        },
      )
      await change({ quantity: 1 }, 'none')
      await go('2026-04-16T00:00:00Z')
      await add(6000)
      expect(await pendingAmounts(twin)).toEqual([1500])
      await go('2026-05-01T00:00:00Z')
    },
    // Half of 70.00 less 0.01, and the 15.00.
    bills: ['2026-04-01 2499 to 2026-05-01', '2026-05-01 4999 to 2026-06-01'],
  },
  'an amount off whose rest is for an item that becomes cheaper': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const prices = [18_000, 2000, 2000].map((unit_amount) => makePrice(twin, { unit_amount }))
      const [dear, other, cheap] = (await Promise.all(prices)).map(({ id }) => id)
      const { change } = await begin(twin, {}, { items: [{ price: dear }, { price: other }] })
      await go('2026-04-16T00:00:00Z')
      await change({ price: cheap })
      // Half of 180.00 − 9.00, and of 20.00 − 9.00: the other item keeps its 1.00.
      expect(await pendingAmounts(twin)).toEqual([-8550, 550])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-01 19000 to 2026-05-01', '2026-05-01 -5000 to 2026-06-01'],
  },
  'an item removed without proration keeps its part of an amount off': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const { change, add } = await begin(twin, { unit_amount: 2000 })
      await add(0)
      await change({ deleted: true }, 'none')
      await go('2026-04-16T00:00:00Z')
      await add(6000)
      expect(await pendingAmounts(twin)).toEqual([3000])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-01 1000 to 2026-05-01', '2026-05-01 8000 to 2026-06-01'],
  },
  'an amount off that an own invoice item of the period has used': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const { add, customer, subscription } = await begin(twin, { unit_amount: 2000 })
      await twin.post('/v1/invoiceitems', {
        ...{ customer: customer.id, subscription: subscription.id, amount: 18_000, currency: 'usd' },
      })
      await go('2026-05-16T12:00:00Z')
      await add(6200)
      // Half of 62.00: the invoice item took 9.00 of the coupon, and the other item 1.00.
      expect(await pendingAmounts(twin)).toEqual([3100])
      await go('2026-06-01T00:00:00Z')
    },
    bills: [
      '2026-04-01 1000 to 2026-05-01',
      '2026-05-01 19000 to 2026-06-01',
      '2026-06-01 10300 to 2026-07-01',
    ],
  },
  'an amount off whose coupon is given again': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const { add, subscription } = await begin(twin, { unit_amount: 2000 })
      await go('2026-04-16T00:00:00Z')
      await twin.post(`/v1/subscriptions/${subscription.id}`, OFF)
      await add(6000)
      expect(await pendingAmounts(twin)).toEqual([3000])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-01 1000 to 2026-05-01', '2026-05-01 10000 to 2026-06-01'],
  },
  'an amount off once more in a period that a change begins': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const { add, subscription } = await begin(twin, { unit_amount: 2000 })
      await twin.post(`/v1/subscriptions/${subscription.id}`, {
        ...{ billing_cycle_anchor: 'now', proration_behavior: 'create_prorations', discounts: '' },
      })
      await twin.post(`/v1/subscriptions/${subscription.id}`, OFF)
      await go('2026-04-16T00:00:00Z')
      await add(6000)
      // Half of 60.00 − 10.00: the new period began without a coupon.
      expect(await pendingAmounts(twin)).toEqual([2500])
      await go('2026-05-01T00:00:00Z')
    },
    bills: [
      '2026-04-01 1000 to 2026-05-01',
      '2026-04-01 1000 to 2026-05-01',
      '2026-05-01 9500 to 2026-06-01',
    ],
  },
  'an amount off a first period up to an anchor, changed without proration': {
    now: '2026-04-16T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const { id } = await makePrice(twin, { unit_amount: 2000 })
      const items = [{ price: id, quantity: 2 }]
      const anchor = { billing_cycle_anchor: at('2026-05-01T00:00:00Z') }
      const { change, add } = await begin(twin, {}, { items, ...anchor })
      await change({ quantity: 1 }, 'none')
      await go('2026-04-24T12:00:00Z')
      await add(6000)
      // 6.5 of 30 days of 60.00: the half month took all of the coupon.
      expect(await pendingAmounts(twin)).toEqual([1300])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-16 1000 to 2026-05-01', '2026-05-01 8300 to 2026-06-01'],
  },
  'an amount off after a change from before an earlier one': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { amount_off: 1000, currency: 'usd' })
      const { change, add } = await begin(twin, { unit_amount: 400 })
      await go('2026-04-16T00:00:00Z')
      await change({ quantity: 2 })
      await change({ quantity: 3 }, 'create_prorations', at('2026-04-07T00:00:00Z'))
      await change({ quantity: 1 }, 'none')
      await add(6000)
      // 3 × 4.00 takes all of the coupon: 24 of 30 days of 2.00, and half of 60.00.
      expect(await pendingAmounts(twin)).toEqual([160, 3000])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-01 0 to 2026-05-01', '2026-05-01 8560 to 2026-06-01'],
  },
  'discounts of items in a first period up to an anchor': {
    now: '2026-04-16T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { percent_off: 10 })
      await twin.post('/v1/coupons', { id: 'HALF', duration: 'forever', percent_off: 50 })
      const [first, second] = [await makePrice(twin, {}), await makePrice(twin, {})]
      const items = [{ price: first.id, discounts: [{ coupon: 'HALF' }] }, { price: second.id }]
      await begin(twin, {}, { items, billing_cycle_anchor: at('2026-05-01T00:00:00Z') })
      await go('2026-05-01T00:00:00Z')
    },
    // Half a month: 10.00 less 50 %, and 10.00 less 10 %.
    bills: ['2026-04-16 1400 to 2026-05-01', '2026-05-01 2800 to 2026-06-01'],
  },
  'a discounted quantity beyond the border of a tier': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { percent_off: 20 })
      const tiers = [
        { up_to: 5, unit_amount: 1000 },
        { up_to: 'inf', unit_amount: 500 },
      ]
      const tiered = { unit_amount: undefined, billing_scheme: 'tiered', tiers_mode: 'graduated', tiers }
      const { id } = await makePrice(twin, { nickname: 'Seats', ...tiered })
      const { change } = await begin(twin, {}, { items: [{ price: id, quantity: 5 }] })
      await go('2026-04-16T00:00:00Z')
      await change({ quantity: 6 })
      // Half of 50.00 − 20 %, and half of 55.00 − 20 %.
      expect(await pendingAmounts(twin)).toEqual([-2000, 2200])
      await go('2026-05-01T00:00:00Z')
    },
    bills: ['2026-04-01 4000 to 2026-05-01', '2026-05-01 4600 to 2026-06-01'],
  },
  'usage in the last second, billed as the discount ends': {
    now: '2026-04-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { percent_off: 50, duration: 'repeating', duration_in_months: 1 })
      const meter = await twin.post('/v1/billing/meters', {
        ...{ display_name: 'Calls', event_name: 'calls', default_aggregation: { formula: 'sum' } },
      })
      const recurring = { interval: 'month', usage_type: 'metered', meter: meter.id }
      const { customer } = await begin(twin, { unit_amount: 5, nickname: 'Calls', recurring })
      const report = (value: string, time: string) =>
        twin.post('/v1/billing/meter_events', {
          ...{ event_name: 'calls', timestamp: at(time) },
          payload: { stripe_customer_id: customer.id, value },
        })
      await go('2026-04-30T23:59:00Z')
      await report('100', '2026-04-30T23:59:59Z')
      await report('10', '2026-05-01T00:00:00Z')
      await go('2026-06-01T00:00:00Z')
    },
    // The discount does not reduce what is billed at its end.
    bills: ['2026-04-01 0 to 2026-05-01', '2026-05-01 500 to 2026-06-01', '2026-06-01 50 to 2026-07-01'],
  },
  'a discounted phase from the middle of a February of 29 days': {
    now: '2028-02-01T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { percent_off: 10 })
      const prices = [
        (await makePrice(twin, { unit_amount: 2900, nickname: 'A' })).id,
        (await makePrice(twin, { unit_amount: 5800, nickname: 'B' })).id,
      ]
      await makeSchedule(twin, () => ({
        phases: [
          { items: [{ price: prices[0] }], end_date: at('2028-02-15T12:00:00Z') },
          { items: [{ price: prices[1] }], ...OFF },
        ],
      }))
      await go('2028-03-01T00:00:00Z')
    },
    // Half of 29.00 back, half of 52.20 to pay, and 52.20 for March.
    bills: ['2028-02-01 2900 to 2028-03-01', '2028-03-01 6380 to 2028-04-01'],
  },
  'a trial that ends on 29 February': {
    now: '2028-02-15T00:00:00Z',
    play: async (twin, go) => {
      await coupon(twin, { percent_off: 25, duration: 'once' })
      await begin(twin, { recurring: { interval: 'month', interval_count: 6 } }, { trial_period_days: 14 })
      await go('2029-03-01T00:00:00Z')
    },
    bills: [
      '2028-02-29 1500 to 2028-08-29',
      '2028-08-29 2000 to 2029-02-28',
      '2029-02-28 2000 to 2029-08-29',
    ],
  },
}

describe.each(QUICK_PACES)('in %s:', (_, pace) => {
  test.each(Object.entries(EXAMPLES))('%s', async (_name, { now, play, bills }) => {
    const twin = await openTwin({ now })
    await play(twin, (until) => pace(twin, at(until)))
    expect(await billsOf(twin)).toEqual(bills)
  })
})
