import { expect, test } from 'vitest'
import type { IntervalUnit } from '../../src/core/calendar.ts'
import { isWithinThreeYears } from '../../src/core/price.ts'
import { table } from '../table.ts'

test.each(
  table(
    ['interval', 'longest'],
    `
    day    1095
    week   156
    month  36
    year   3
    `,
  ),
)(
  'an interval of $longest times a $interval is within three years, one more is not',
  ({ interval, longest }) => {
    const recurring = (interval_count: number) => ({ interval: interval as IntervalUnit, interval_count })
    expect(isWithinThreeYears(recurring(1))).toBe(true)
    expect(isWithinThreeYears(recurring(Number(longest)))).toBe(true)
    // Three years may have a leap day; an interval in days may be as long.
    expect(isWithinThreeYears(recurring(Number(longest) + (interval === 'day' ? 2 : 1)))).toBe(false)
  },
)
