import { describe, expect, test } from 'vitest'
import { discountAmounts, type Reducible } from '../../src/core/billing/discount-amounts.ts'
import type { CouponTerms } from '../../src/core/coupon.ts'
import { type Discount, endOfDiscount, reduces } from '../../src/core/discount.ts'
import { MAX_AMOUNT } from '../../src/core/money.ts'
import { NOW } from './objects.ts'

const aDiscount = (id: string, terms: Partial<CouponTerms>, given: Partial<Discount> = {}): Discount => ({
  id,
  created: NOW,
  customer: 'cus_1',
  subscription: null,
  subscription_item: null,
  invoice: null,
  invoice_item: null,
  coupon: `coupon_${id}`,
  promotion_code: null,
  terms: {
    percent_off: null,
    amount_off: null,
    currency: null,
    duration: 'forever',
    applies_to: null,
    ...terms,
  },
  start: NOW,
  end: null,
  used_by: null,
  deleted: false,
  test_clock: null,
  ...given,
})

const line = (amount: number, given: Partial<Reducible> = {}): Reducible => ({
  amount,
  product: null,
  own: [],
  isDiscountable: true,
  ...given,
})

const percent = (percent_off: number, id = 'di_1') => aDiscount(id, { percent_off })
const amountOff = (amount_off: number, id = 'di_1') => aDiscount(id, { amount_off, currency: 'usd' })
/** What is taken off each line in all. */
const offEach = (lines: readonly Reducible[], discounts: readonly Discount[]) =>
  discountAmounts(lines, discounts).map((amounts) => amounts.reduce((sum, { amount }) => sum + amount, 0))

describe('what discounts take off lines', () => {
  test.each<[string, number[], Discount[], number[]]>([
    ['nothing without discounts', [1000, 500], [], [0, 0]],
    ['a percentage of each line, half away from zero', [1005, 999, 5], [percent(10)], [101, 100, 1]],
    ['a percentage with two decimals', [10_000, 333], [percent(33.33)], [3333, 111]],
    ['all of it', [1999, 1], [percent(100)], [1999, 1]],
    ['an amount in proportion', [3000, 1000], [amountOff(400)], [300, 100]],
    ['an amount whose parts add up', [1000, 1000, 1000], [amountOff(100)], [33, 34, 33]],
    ['one cent from one of three lines', [10, 10, 10], [amountOff(1)], [0, 1, 0]],
    ['no more than the lines have', [300, 200], [amountOff(1000)], [300, 200]],
    ['an amount of lines of nothing', [0, 0], [amountOff(1000)], [0, 0]],
    ['first a percentage, then an amount', [2000], [percent(50), amountOff(300, 'di_2')], [1300]],
    ['first an amount, then a percentage', [2000], [amountOff(300), percent(50, 'di_2')], [1150]],
    ['percentages of what is left', [1000], [percent(50), percent(50, 'di_2')], [750]],
    ['never more than the line', [1000], [amountOff(900), amountOff(900, 'di_2')], [1000]],
    ['nothing from a credit', [-500, 1000], [percent(10)], [0, 100]],
  ])('%s', (_, amounts, discounts, expected) => {
    expect(
      offEach(
        amounts.map((amount) => line(amount)),
        discounts,
      ),
    ).toEqual(expected)
  })

  test('own discounts of a line take the place of those of the invoice', () => {
    const lines = [line(1000, { own: [percent(50)] }), line(1000)]
    expect(discountAmounts(lines, [amountOff(300, 'di_2')])).toEqual([
      [{ discount: 'di_1', amount: 500 }],
      [{ discount: 'di_2', amount: 300 }],
    ])
  })

  test('an amount of an item is divided among all lines of the item', () => {
    const own = [amountOff(500), percent(10, 'di_2')]
    const other = line(1000, { own: [amountOff(500, 'di_3')] })
    expect(offEach([line(1000, { own }), line(3000, { own }), other], [])).toEqual([213, 638, 500])
  })

  test('lines that are not discountable, and of other products, are left out', () => {
    const pro = aDiscount('di_1', { percent_off: 10, applies_to: { products: ['prod_1'] } })
    const lines = [
      line(1000, { product: 'prod_1' }),
      line(1000, { product: 'prod_2' }),
      line(1000),
      line(1000, { product: 'prod_1', isDiscountable: false }),
    ]
    expect(offEach(lines, [pro])).toEqual([100, 0, 0, 0])
    expect(offEach(lines, [percent(20)])).toEqual([200, 200, 200, 0])
  })

  test('a percentage of any amount is exact', () => {
    const exact = (amount: number, percent_off: number) =>
      Number((2n * BigInt(amount) * BigInt(Math.round(percent_off * 100)) + 10_000n) / 20_000n)
    for (const amount of [1, 2, 3, 4_999, 99_999_998, MAX_AMOUNT, 10 ** 11 + 1, Number.MAX_SAFE_INTEGER])
      for (const percentage of [0.01, 0.5, 12.5, 33.33, 49.99, 50, 66.67, 99.99, 100])
        expect(offEach([line(amount)], [percent(percentage)])).toEqual([exact(amount, percentage)])
  })

  test('the parts of an amount add up for any lines, and no line falls below zero', () => {
    let state = 7
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return state % below
    }
    for (let round = 0; round < 500; round += 1) {
      const lines = Array.from({ length: 1 + random(12) }, () => line(random(random(2) ? 50 : 99_999_999)))
      const sum = lines.reduce((all, { amount }) => all + amount, 0)
      const off = 1 + random(Math.max(2, sum * 2))
      const taken = offEach(lines, [amountOff(off)])
      expect(taken.reduce((all, amount) => all + amount, 0)).toBe(Math.min(off, sum))
      expect(taken.every((amount, index) => amount >= 0 && amount <= (lines[index]?.amount ?? 0))).toBe(true)
    }
  })
})

describe('when a discount is in force', () => {
  const at = (instant: number) => ({ currency: 'usd', at: instant })
  test('from its start up to its end', () => {
    const discount = aDiscount('di_1', { percent_off: 10 }, { end: NOW + 10 })
    expect([NOW - 1, NOW, NOW + 9, NOW + 10].map((instant) => reduces(discount, at(instant)))).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  test('only in the currency of an amount, and while it is not removed', () => {
    expect(reduces(amountOff(5), { currency: 'eur', at: NOW })).toBe(false)
    expect(reduces(percent(5), { currency: 'eur', at: NOW })).toBe(true)
    expect(reduces(aDiscount('di_1', { percent_off: 5 }, { deleted: true }), at(NOW))).toBe(false)
  })

  test.each([
    [1, '2026-02-28T10:00:00Z'],
    [3, '2026-04-30T10:00:00Z'],
    [12, '2027-01-31T10:00:00Z'],
    [25, '2028-02-29T10:00:00Z'],
  ])('%d months after 31 January', (months, end) => {
    expect(endOfDiscount(NOW, months)).toBe(Date.parse(end) / 1000)
  })
})
