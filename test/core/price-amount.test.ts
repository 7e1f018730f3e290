import { describe, expect, test } from 'vitest'
import type { Tier, TransformQuantity } from '../../src/core/price.ts'
import {
  fixedPricing,
  fixedUnitAmount,
  isWithinMaximum,
  normalDecimal,
  type Pricing,
  priceAmount,
  wholeAmount,
} from '../../src/core/price-amount.ts'
import { table } from '../table.ts'

const none = fixedPricing(0)

/** Writes a tier as `up_to: unit + flat`; an amount with a point is a decimal. */
function tierOf(text: string): Tier {
  const [end = '', unit = '', flat = '0'] = text.split(/[:+]/).map((part) => part.trim())
  const form = (amount: string) => (amount.includes('.') ? [null, amount] : [Number(amount), null])
  const [unit_amount = null, unit_amount_decimal = null] = form(unit) as [number, string]
  const [flat_amount = null, flat_amount_decimal = null] = form(flat) as [number, string]
  return {
    up_to: end === 'inf' ? null : Number(end),
    ...{ unit_amount, unit_amount_decimal, flat_amount, flat_amount_decimal },
  }
}

const tiered = (tiers_mode: 'graduated' | 'volume', ...tiers: string[]): Pricing => ({
  ...none,
  unit_amount: null,
  tiers_mode,
  tiers: tiers.map(tierOf),
})

test.each(
  table(
    ['unit', 'quantity', 'amount'],
    `
    2000      1  2000
    2000      3  6000
    0         9  0
    2000      0  0
    99999999  1  99999999
    `,
  ),
)('$quantity units of $unit cost $amount', ({ unit, quantity, amount }) => {
  expect(priceAmount(fixedPricing(Number(unit)), Number(quantity))).toBe(Number(amount))
})

test.each(
  table(
    ['decimal', 'quantity', 'amount', 'why'],
    `
    0.5              0          0         nothing
    0.5              1          1         a half is rounded up
    0.5              3          2         one and a half is rounded up
    0.49             1          0         less than a half is rounded down
    0.499999999999   1          0         twelve decimals
    0.500000000001   1          1         twelve decimals
    0.000000000001   1000       0         the smallest amount
    0.000000000001   500000000000  1      exactly a half
    0.000000000001   499999999999  0      just less than a half
    0.1              3          0         0.3, which binary fractions miss
    0.1              5          1         0.5
    0.7              15         11        10.5, which binary fractions miss
    1.005            100        101       100.5, which binary fractions miss
    99999998.999999999999  1    99999999  the largest digits
    `,
  ),
)('$quantity units of $decimal cost $amount: $why', ({ decimal, quantity, amount }) => {
  const price = { ...none, unit_amount: null, unit_amount_decimal: String(decimal) }
  expect(priceAmount(price, Number(quantity))).toBe(Number(amount))
})

describe('graduated tiers bill the part in each tier', () => {
  // 1 to 5 cost 700 each, 6 to 10 cost 650 each and 300 once, more cost 600 each.
  const price = tiered('graduated', '5: 700', '10: 650 + 300', 'inf: 600')
  test.each([
    [0, 0],
    [1, 700],
    [4, 2800],
    [5, 3500],
    [6, 3500 + 300 + 650],
    [9, 3500 + 300 + 4 * 650],
    [10, 3500 + 300 + 5 * 650],
    [11, 3500 + 300 + 5 * 650 + 600],
    [1000, 3500 + 300 + 5 * 650 + 990 * 600],
  ])('%i units cost %i', (quantity, amount) => {
    expect(priceAmount(price, quantity)).toBe(amount)
  })
})

describe('volume tiers bill the whole quantity in the tier that it reaches', () => {
  const price = tiered('volume', '5: 700', '10: 650 + 300', 'inf: 600')
  test.each([
    [0, 0],
    [4, 2800],
    [5, 3500],
    [6, 300 + 6 * 650],
    [10, 300 + 10 * 650],
    [11, 11 * 600],
  ])('%i units cost %i', (quantity, amount) => {
    expect(priceAmount(price, quantity)).toBe(amount)
  })
})

test.each(['graduated', 'volume'] as const)('%s tiers bill the first flat amount for no units', (mode) => {
  const price = tiered(mode, '1: 0 + 1000', 'inf: 5 + 2000')
  expect([0, 1, 2].map((quantity) => priceAmount(price, quantity))).toEqual(
    mode === 'graduated' ? [1000, 1000, 3005] : [1000, 1000, 2010],
  )
})

test('the decimals of all tiers are added before one rounding', () => {
  // 0.4 + 0.4 + 0.4 = 1.2; three roundings would give 0.
  const price = tiered('graduated', '1: 0.4', '2: 0.4', 'inf: 0.4')
  expect([1, 2, 3, 4].map((quantity) => priceAmount(price, quantity))).toEqual([0, 1, 1, 2])
  expect(priceAmount(tiered('volume', 'inf: 0.25 + 0.25'), 1)).toBe(1)
})

describe('a transformed quantity', () => {
  const price = (round: TransformQuantity['round']): Pricing => ({
    ...none,
    unit_amount: 1000,
    transform_quantity: { divide_by: 10, round },
  })
  test.each([
    [0, 0, 0],
    [1, 1000, 0],
    [9, 1000, 0],
    [10, 1000, 1000],
    [11, 2000, 1000],
    [19, 2000, 1000],
    [20, 2000, 2000],
  ])('of %i costs %i rounded up and %i rounded down', (quantity, up, down) => {
    expect(priceAmount(price('up'), quantity)).toBe(up)
    expect(priceAmount(price('down'), quantity)).toBe(down)
  })

  test('is an exact quotient of large quantities', () => {
    const huge = {
      ...price('up'),
      unit_amount: 1,
      transform_quantity: { divide_by: 3, round: 'up' } as const,
    }
    expect(priceAmount(huge, 9_007_199_254_740_991)).toBe(3_002_399_751_580_331)
  })
})

describe('a part of a period', () => {
  test('of tiers is a part of their exact amount', () => {
    const price = tiered('graduated', '5: 700', 'inf: 600')
    // 7 units cost 4700 a period.
    expect(priceAmount(price, 7, { part: 15, whole: 30 })).toBe(2350)
    expect(priceAmount(price, 7, { part: 10, whole: 30 })).toBe(1567)
    expect(priceAmount(price, 7, { part: 0, whole: 30 })).toBe(0)
  })

  test('is rounded once, together with the decimals', () => {
    // Half of 0.5 is 0.25. Rounding the whole period first would give a half of 1.
    const price = { ...none, unit_amount: null, unit_amount_decimal: '0.5' }
    expect(priceAmount(price, 1, { part: 1, whole: 2 })).toBe(0)
    expect(priceAmount(price, 1, { part: 2, whole: 2 })).toBe(1)
    expect(priceAmount(fixedPricing(1), 1, { part: 1, whole: 2 })).toBe(1)
  })
})

test('only a price of whole units has one amount for each', () => {
  expect(fixedUnitAmount(fixedPricing(700))).toBe(700)
  expect(fixedUnitAmount({ ...none, unit_amount: null, unit_amount_decimal: '0.5' })).toBeNull()
  expect(fixedUnitAmount({ ...none, transform_quantity: { divide_by: 2, round: 'up' } })).toBeNull()
  expect(fixedUnitAmount(tiered('volume', 'inf: 1'))).toBeNull()
})

test.each(
  table(
    ['given', 'normal', 'whole'],
    `
    0          0       0
    010.50     10.5    null
    20.000     20      20
    0.000      0       0
    0.010      0.01    null
    `,
  ),
)('$given is $normal', ({ given, normal, whole }) => {
  expect(normalDecimal(String(given))).toBe(String(normal))
  expect(String(wholeAmount(String(normal)))).toBe(whole)
})

test('a decimal has the same maximum as a whole amount', () => {
  expect(isWithinMaximum('99999999')).toBe(true)
  expect(isWithinMaximum('99999999.000000000001')).toBe(false)
})
