import { describe, expect, test } from 'vitest'
import { sumOfShares } from '../../src/core/money.ts'
import { unusedAmount } from '../../src/core/proration.ts'
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
    [[], 0],
    // The product exceeds the integers that a number holds exactly.
    [[share(99_999_999, 94_607_999, 94_608_000)], 99_999_998],
    [[share(99_999_999, 94_608_000, 94_608_000)], 99_999_999],
  ])('%j is %d', (shares, expected) => {
    expect(sumOfShares(shares)).toBe(expected)
  })

  test('adds many shares of different periods exactly, in time that is not quadratic', async () => {
    const sharesOf = (count: number) =>
      // Each pair adds up to 1.
      Array.from({ length: count }, (_, index) => {
        const whole = 2_592_000 - index
        return [share(1, 1, whole), share(1, whole - 1, whole)]
      }).flat()
    expect(sumOfShares(sharesOf(1_000))).toBe(1_000)
    const many = sharesOf(20_000)
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
    ['of its own lines alone', [line(2000, 0, 100), line(900, 0, 100, 'si_2')], 50, 1000],
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
    expect(unusedAmount(billed, 'si_1', at)).toBe(expected)
  })
})
