import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sumOfShares } from '../../src/core/money.ts'
import { billedItems, creditsForAll, unusedAmount } from '../../src/core/proration.ts'
import { leastProcessorTime } from '../processor-time.ts'

const share = (amount: number, part: number, whole: number) => ({ amount, part, whole })

describe('sumOfShares', () => {
  test.each([
    [[share(1, 1, 2)], 1],
    [[share(-1, 1, 2)], -1],
    [[share(1, 1, 3)], 0],
    [[share(2, 1, 3)], 1],
    [[share(-2, 1, 3)], -1],
    // Two thirds of a cent are rounded once, not twice.
    [[share(1, 1, 3), share(1, 1, 3)], 1],
    [[share(1, 1, 3), share(-1, 1, 3)], 0],
    [[share(1, 1, 6), share(1, 1, 3)], 1],
    [[share(-1, 1, 6), share(-1, 1, 3)], -1],
    // The sum is a half more or less a quarter of a millionth of a millionth.
    [[share(1, 1, 2), share(1, 1, 3_999_999_999_999), share(-1, 1, 2_000_000_000_000)], 0],
    [[share(1, 1, 2), share(1, 1, 2_000_000_000_000), share(-1, 1, 3_999_999_999_999)], 1],
    [[], 0],
    // The product exceeds the integers that a number holds exactly.
    [[share(99_999_999, 94_607_999, 94_608_000)], 99_999_998],
    [[share(99_999_999, 94_608_000, 94_608_000)], 99_999_999],
  ])('%j is %d', (shares, expected) => {
    expect(sumOfShares(shares)).toBe(expected)
  })

  test('is exact for any shares', () => {
    const ANY = fc
      .tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.integer({ min: 1, max: 10 }))
      .chain(([amount, whole]) =>
        fc.integer({ min: 0, max: 2 * whole }).map((part) => share(amount, part, whole)),
      )
    fc.assert(
      fc.property(fc.array(ANY, { maxLength: 20 }), (shares) => {
        // All of them are multiples of 1 / 2520.
        const sum = shares.reduce((all, { amount, part, whole }) => all + amount * part * (2520 / whole), 0)
        const rounded = Math.sign(sum) * Math.floor((2 * Math.abs(sum) + 2520) / 5040)
        expect(sumOfShares(shares)).toBe(rounded || 0)
      }),
    )
  })

  test('adds many shares of different periods exactly, in time that is not quadratic', async () => {
    const sharesOf = (count: number) =>
      // Each pair adds up to 1.
      Array.from({ length: count }, (_, index) => {
        const whole = 2_592_000 - index
        return [share(1, 1, whole), share(1, whole - 1, whole)]
      }).flat()
    expect(sumOfShares(sharesOf(1_000))).toBe(1_000)
    // A half more needs all digits.
    const many = [...sharesOf(20_000), share(1, 1, 2)]
    expect(await leastProcessorTime(() => sumOfShares(many), 500)).toBeLessThan(500)
  })
})

describe('unusedAmount', () => {
  const line = (amount: number, start: number, end: number, subscription_item = 'si_1') => ({
    ...{ amount, start, end, subscription_item },
  })

  test.each([
    ['half of a period', [line(2000, 0, 100)], 50, 1000],
    ['all of it at its start', [line(2000, 0, 100)], 0, 2000],
    ['nothing at its end', [line(2000, 0, 100)], 100, 0],
    ['what a change charged', [line(2000, 0, 100), line(-1000, 50, 100), line(2500, 50, 100)], 75, 1250],
    // The charge has not begun at that instant, so all of it is unused.
    [
      'a change before an earlier one',
      [line(2000, 0, 100), line(-1000, 50, 100), line(2500, 50, 100)],
      25,
      3000,
    ],
    ['nothing if credits exceed charges', [line(-500, 0, 100)], 50, 0],
    ['nothing of a free period', [line(0, 0, 100)], 50, 0],
  ])('%s', (_, billed, at, expected) => {
    expect(unusedAmount(billed, at)).toBe(expected)
  })
})

test('many items with many lines each are credited in time that grows with the lines alone', async () => {
  const period = { start: 0, end: 2_592_000 }
  const before = Array.from({ length: 400 }, (_, n) => ({
    id: `si_${n}`,
    price: 'price_1',
    quantity: 1,
    created: 0,
    metadata: {},
  }))
  const lines = before.flatMap(({ id }) =>
    Array.from({ length: 500 }, (_, start) => ({ subscription_item: id, amount: 1, start, end: period.end })),
  )
  const common = { before, period, at: 1_296_000, prices: new Map(), names: new Map() }
  const credits = () => creditsForAll({ ...common, billed: billedItems(lines) })
  // Of 500 lines of 1, each a little more than a half is unused: 250.02 in all.
  expect(credits().map(({ amount }) => amount)).toEqual(before.map(() => -250))
  expect(await leastProcessorTime(credits, 300)).toBeLessThan(300)
})
