import { expect, test } from 'vitest'
import { discountsOfChange, withAmountsOff } from '../../src/core/billing/change-discounts.ts'
import type { Discount } from '../../src/core/discount.ts'
import type { InvoiceLine } from '../../src/core/invoice-line.ts'
import type { Subscription } from '../../src/core/subscription.ts'

const START = 1_000_000

const discount = (terms: Partial<Discount['terms']>, subscription_item: string | null = null) =>
  ({
    subscription_item,
    invoice: null,
    invoice_item: null,
    coupon: 'OFF',
    terms: { amount_off: 100, duration: 'forever', ...terms },
  }) as Discount
const discounts = new Map([
  ['amount', discount({})],
  ['percentage', discount({ amount_off: null, percent_off: 10 })],
  ['once', discount({ duration: 'once' })],
  ['own', discount({}, 'si_1')],
])

const inForce = (id: string, item: string): Discount => ({
  ...{ ...discount({ currency: 'usd', applies_to: null, percent_off: null }, item), id },
  ...{ deleted: false, start: START, end: null },
})

const line = (given: Partial<InvoiceLine>) => ({ subscription_item: 'si_1', ...given }) as InvoiceLine
const off = (...ids: string[]) => ids.map((id) => ({ discount: id, amount: 7 }))
const proration = (cycle: number, rest = {}) => ({
  ...{ subscription_item: 'si_1', start: cycle, end: cycle + 10, cycle, ...rest },
})

const recorded = (lines: InvoiceLine[], before: Subscription['amounts_off'] = null) =>
  withAmountsOff({ current_period_start: START, amounts_off: before } as Subscription, { lines }, discounts)
    .amounts_off

const PART = [{ coupon: 'OFF', amount: 7 }]

test('an amount off that lasts is recorded for each item, and that of its own discounts separately', () => {
  const lines = [
    line({ discount_amounts: off('percentage', 'amount', 'once', 'own') }),
    line({ subscription_item: 'si_2', discount_amounts: off('amount') }),
    line({ subscription_item: 'si_3', discount_amounts: off('percentage') }),
  ]
  const own = { coupon: 'OFF', amount: 7, owner: 'si_1' }
  expect(recorded(lines)).toEqual({ si_1: [...PART, own], si_2: PART })
})

test('the line of a period that an anchor shortens is one of its item', () => {
  expect(recorded([line({ proration: proration(START), discount_amounts: off('amount') })])).toEqual({
    si_1: PART,
  })
})

test.each([
  ['of an earlier period', line({ proration: proration(START - 10), discount_amounts: off('amount') })],
  ['of usage', line({ proration: proration(START, { is_usage: true }), discount_amounts: off('amount') })],
  ['without an item', line({ subscription_item: null, discount_amounts: off('amount') })],
])('a line %s is recorded for no item', (_, given) => {
  expect(recorded([given, given])).toEqual({ '': [{ coupon: 'OFF', amount: 14 }] })
})

test('what was recorded for a former period ends', () => {
  expect(recorded([line({})], { si_1: PART })).toBeNull()
})

test('parts of gone items are added up, and those of coupons that nobody has any more end', () => {
  const items = [{ id: 'si_9', price: 'price_1', quantity: 1 }]
  const subscription = { items, discounts: ['amount'], currency: 'usd' } as unknown as Subscription
  const account = {
    ...{ customer: { discount: null }, prices: new Map(), now: START },
    discounts,
  } as unknown as Parameters<typeof discountsOfChange>[0]
  const before = {
    ...subscription,
    amounts_off: {
      si_1: [...PART, { coupon: 'GONE', amount: 5 }],
      si_2: PART,
      si_9: PART,
    },
  }
  expect(discountsOfChange(account, { before, after: subscription }).amounts_off).toEqual({
    '': [{ coupon: 'OFF', amount: 14 }],
    si_9: PART,
  })
})

test('what an own discount took off other lines of its item is not taken off again', () => {
  const fields = { created: START, price: 'price_1', quantity: 1, metadata: {} }
  const item = { ...fields, id: 'si_1', discounts: ['own'] }
  const other = { ...fields, id: 'si_2', discounts: ['another'] }
  const subscription = { items: [item, other], currency: 'usd' } as unknown as Subscription
  const account = {
    customer: { discount: null },
    prices: new Map([['price_1', { unit_amount: 1_000, billing_scheme: 'per_unit' }]]),
    now: START,
    discounts: new Map([
      ['own', inForce('own', 'si_1')],
      ['another', inForce('another', 'si_2')],
    ]),
  } as unknown as Parameters<typeof discountsOfChange>[0]
  const used = { coupon: 'OFF', amount: 30, owner: 'si_1' }
  const before = { ...subscription, amounts_off: { '': [used], si_1: [{ ...used, amount: 70 }] } }
  const after = { ...subscription, items: [item, other].map((each) => ({ ...each, quantity: 2 })) }
  const changed = discountsOfChange(account, { before, after })
  expect(Object.fromEntries(changed.ofItems)).toEqual({ si_1: 70, si_2: 100 })
  expect(changed.amounts_off).toEqual({
    '': [used],
    si_1: [{ ...used, amount: 70 }],
    si_2: [{ coupon: 'OFF', amount: 100, owner: 'si_2' }],
  })
  const withoutItem = { ...after, items: [other] }
  expect(discountsOfChange(account, { before, after: withoutItem }).amounts_off).toBeNull()
})
