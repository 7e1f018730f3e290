import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addDuration,
  addIntervals,
  formatInstant,
  type IntervalUnit,
  LAST_INSTANT,
  nextBoundary,
  parseInstant,
  type Recurring,
  SECONDS_PER_DAY,
} from '../../src/core/calendar.ts'
import { table } from '../table.ts'

const at = (time: string) => parseInstant(time) ?? Number.NaN
const every = (text: string): Recurring => {
  const [count, interval] = text.split(' ')
  return { interval: interval as IntervalUnit, interval_count: Number(count) }
}

describe('addIntervals', () => {
  test.each(
    table(
      ['anchor', 'interval', 'n', 'instant'],
      `
      2026-01-31T10:00:00Z  1 month  0   2026-01-31T10:00:00Z
      2026-01-31T10:00:00Z  1 month  1   2026-02-28T10:00:00Z
      2026-01-31T10:00:00Z  1 month  2   2026-03-31T10:00:00Z
      2026-01-31T10:00:00Z  1 month  3   2026-04-30T10:00:00Z
      2026-01-31T10:00:00Z  1 month  12  2027-01-31T10:00:00Z
      2026-01-31T10:00:00Z  1 month  25  2028-02-29T10:00:00Z
      2026-01-30T10:00:00Z  1 month  1   2026-02-28T10:00:00Z
      2026-01-29T10:00:00Z  1 month  1   2026-02-28T10:00:00Z
      2026-01-28T10:00:00Z  1 month  1   2026-02-28T10:00:00Z
      2028-01-30T10:00:00Z  1 month  1   2028-02-29T10:00:00Z
      2026-12-31T23:59:59Z  2 month  1   2027-02-28T23:59:59Z
      2025-11-30T00:00:00Z  3 month  1   2026-02-28T00:00:00Z
      2025-11-30T00:00:00Z  3 month  2   2026-05-30T00:00:00Z
      2026-03-31T10:00:00Z  1 month  -1  2026-02-28T10:00:00Z
      2026-01-31T10:00:00Z  1 month  -2  2025-11-30T10:00:00Z
      2028-02-29T12:00:00Z  1 year   1   2029-02-28T12:00:00Z
      2028-02-29T12:00:00Z  1 year   4   2032-02-29T12:00:00Z
      2028-02-29T12:00:00Z  3 year   1   2031-02-28T12:00:00Z
      2096-02-29T12:00:00Z  4 year   1   2100-02-28T12:00:00Z
      2026-01-31T10:00:00Z  1 year   1   2027-01-31T10:00:00Z
      2026-06-01T09:00:00Z  1 week   1   2026-06-08T09:00:00Z
      2026-12-28T09:00:00Z  2 week   1   2027-01-11T09:00:00Z
      2026-02-27T09:00:00Z  1 day    2   2026-03-01T09:00:00Z
      2028-02-27T09:00:00Z  1 day    2   2028-02-29T09:00:00Z
      2026-06-01T09:00:00Z  10 day   3   2026-07-01T09:00:00Z
      `,
    ),
  )('$anchor and $n times $interval is $instant', ({ anchor, interval, n, instant }) => {
    expect(formatInstant(addIntervals(at(anchor), every(interval), Number(n)))).toBe(instant)
  })
})

describe('nextBoundary', () => {
  test.each(
    table(
      ['anchor', 'interval', 'after', 'boundary'],
      `
      2026-01-31T10:00:00Z  1 month  2026-01-31T10:00:00Z  2026-02-28T10:00:00Z
      2026-01-31T10:00:00Z  1 month  2026-02-28T09:59:59Z  2026-02-28T10:00:00Z
      2026-01-31T10:00:00Z  1 month  2026-02-28T10:00:00Z  2026-03-31T10:00:00Z
      2026-01-31T10:00:00Z  1 month  2026-03-30T10:00:00Z  2026-03-31T10:00:00Z
      2026-01-31T10:00:00Z  1 month  2031-01-31T10:00:00Z  2031-02-28T10:00:00Z
      2026-01-31T10:00:00Z  1 month  2028-02-28T10:00:00Z  2028-02-29T10:00:00Z
      2028-02-29T12:00:00Z  1 year   2029-02-28T12:00:00Z  2030-02-28T12:00:00Z
      2028-02-29T12:00:00Z  1 year   2031-12-31T00:00:00Z  2032-02-29T12:00:00Z
      2026-06-01T09:00:00Z  1 week   2026-06-08T09:00:00Z  2026-06-15T09:00:00Z
      2026-06-01T09:00:00Z  2 week   2026-06-08T09:00:00Z  2026-06-15T09:00:00Z
      2026-06-01T09:00:00Z  1 day    2036-06-01T08:59:59Z  2036-06-01T09:00:00Z
      `,
    ),
  )('from $anchor every $interval, after $after comes $boundary', ({ anchor, interval, after, boundary }) => {
    expect(formatInstant(nextBoundary(at(anchor), every(interval), at(after)))).toBe(boundary)
  })

  test('returns the first boundary after the instant, for every interval', () => {
    const recurring = fc.record({
      interval: fc.constantFrom<IntervalUnit>('day', 'week', 'month', 'year'),
      interval_count: fc.integer({ min: 1, max: 36 }),
    })
    const anchors = fc.integer({ min: 0, max: at('2100-01-01') })
    const distances = fc.integer({ min: 0, max: 30 * 366 * SECONDS_PER_DAY })
    fc.assert(
      fc.property(anchors, recurring, distances, (anchor, interval, distance) => {
        const after = anchor + distance
        let n = 1
        while (addIntervals(anchor, interval, n) <= after) n += 1
        expect(nextBoundary(anchor, interval, after)).toBe(addIntervals(anchor, interval, n))
      }),
      { seed: 1, numRuns: 200 },
    )
  })

  test('refuses an instant before the anchor', () => {
    expect(() => nextBoundary(at('2026-01-31'), every('1 month'), at('2026-01-30'))).toThrow('anchor')
  })
})

describe('addDuration', () => {
  test.each(
    table(
      ['text', 'instant'],
      `
      90s          2026-01-31T10:01:30Z
      15m          2026-01-31T10:15:00Z
      36h          2026-02-01T22:00:00Z
      3d           2026-02-03T10:00:00Z
      2w           2026-02-14T10:00:00Z
      1mo          2026-02-28T10:00:00Z
      13mo         2027-02-28T10:00:00Z
      1y           2027-01-31T10:00:00Z
      0s           2026-01-31T10:00:00Z
      P1M          2026-02-28T10:00:00Z
      P1Y6M        2027-07-31T10:00:00Z
      P1M1D        2026-03-01T10:00:00Z
      P2W          2026-02-14T10:00:00Z
      PT36H        2026-02-01T22:00:00Z
      P1DT1H1M1S   2026-02-01T11:01:01Z
      PT15M        2026-01-31T10:15:00Z
      `,
    ),
  )('$text after 31 January at 10 o’clock is $instant', ({ text, instant }) => {
    expect(formatInstant(addDuration(at('2026-01-31T10:00:00Z'), text) ?? Number.NaN)).toBe(instant)
  })

  test.each(
    [
      '',
      ' ',
      '1',
      'd',
      '-1d',
      '+1d',
      '1.5d',
      '1 d',
      '1D',
      '1M',
      '1mo2d',
      '1min',
      '1234567890s',
      'month',
    ].concat(['P', 'PT', 'P1', 'P1H', 'PT1D', 'p1m', '-P1M', 'P1.5D', 'P1MT', ' P1M', 'P1M ']),
  )('%j is not a duration', (text) => {
    expect(addDuration(0, text)).toBeUndefined()
  })

  test.each(['999999999mo', '999999999y', 'P999999999Y', 'P999999999M'])(
    '%s leads out of every calendar and yet to no nonsense',
    (text) => {
      expect(addDuration(0, text)).not.toBeNaN()
    },
  )
})

describe('parseInstant', () => {
  test.each(
    table(
      ['text', 'instant'],
      `
      0                          1970-01-01T00:00:00Z
      1769853600                 2026-01-31T10:00:00Z
      253402300799               9999-12-31T23:59:59Z
      2026-01-31                 2026-01-31T00:00:00Z
      2028-02-29                 2028-02-29T00:00:00Z
      2026-01-31T10:00           2026-01-31T10:00:00Z
      2026-01-31T10:00:07        2026-01-31T10:00:07Z
      2026-01-31T10:00:00Z       2026-01-31T10:00:00Z
      2026-01-31T10:00:00.250Z   2026-01-31T10:00:00Z
      2026-01-31T10:00:00+02:00  2026-01-31T08:00:00Z
      2026-01-31T10:00-05:30     2026-01-31T15:30:00Z
      2026-01-01T00:00+01:00     2025-12-31T23:00:00Z
      `,
    ),
  )('$text is $instant', ({ text, instant }) => {
    expect(formatInstant(parseInstant(text) ?? Number.NaN)).toBe(instant)
  })

  test.each(
    [
      ['', 'now', '2026-01', '26-01-31', '2026-1-31', '31.01.2026', '2026-01-31 10:00', '2026-01-31T10'],
      ['2026-02-29', '2026-02-30', '2026-04-31', '2026-00-10', '2026-13-01', '2026-01-00', '2026-01-32'],
      ['2026-01-31T24:00', '2026-01-31T10:60', '2026-01-31T10:00:60', '2026-01-31T10:00z', '2026-01-31Z'],
      ['2026-01-31T10:00+2:00', '2026-01-31T10:00+24:00', '2026-01-31T10:00+01:60'],
      ['-1', '1.5', '253402300800', '10000-01-01', '1969-12-31', '1970-01-01T00:30+01:00', '0099-06-01'],
    ].flat(),
  )('%j is not an instant', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })
})

describe('formatInstant', () => {
  test.each([0, 1, 1769853600, LAST_INSTANT])('%i is parsed back unchanged', (instant) => {
    expect(parseInstant(formatInstant(instant))).toBe(instant)
  })
})

test.each(
  table(
    ['time', 'seconds'],
    `
    2026-01-31T10:00:00Z  1769853600
    2026-02-28T10:00:00Z  1772272800
    2026-03-31T10:00:00Z  1774951200
    2026-04-30T10:00:00Z  1777543200
    2026-05-31T10:00:00Z  1780221600
    2026-04-15T00:00:00Z  1776211200
    2026-06-15T09:00:00Z  1781514000
    2026-05-17T15:30:00Z  1779031800
    `,
  ),
)('$time is $seconds', ({ time, seconds }) => {
  expect(at(time)).toBe(Number(seconds))
})
