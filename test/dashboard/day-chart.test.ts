import { expect, test } from 'vitest'
import { barsOf, type Day, DayChart, highestOf } from '../../src/dashboard/day-chart.tsx'

const DAY = 86_400
/** 1 April 2026. */
const SINCE = 1_775_001_600
const SPAN = { since: SINCE, count: 3, currency: 'usd' }
const day = (index: number, succeeded: number, failed = 0): Day => ({
  start: SINCE + index * DAY,
  succeeded,
  failed,
})

test('every day has a bar, and the highest has the length 1', () => {
  expect(barsOf([day(0, 4_900), day(2, 4_900, 4_900)], SPAN)).toEqual([
    { start: SINCE, label: '2026-04-01, 49.00 USD paid', succeeded: 0.5, failed: 0 },
    { start: SINCE + DAY, label: '2026-04-02, 0.00 USD paid', succeeded: 0, failed: 0 },
    {
      start: SINCE + 2 * DAY,
      label: '2026-04-03, 49.00 USD paid, 49.00 USD failed',
      succeeded: 0.5,
      failed: 0.5,
    },
  ])
})

test('the scale is the amount of the day with the most payments, paid or failed', () => {
  expect(highestOf([day(0, 5_000, 5_000), day(1, 9_000)])).toBe(10_000)
  expect(highestOf([])).toBe(0)
})

test('days without payments have bars of no length', () => {
  expect(barsOf([], SPAN).map(({ succeeded, failed }) => succeeded + failed)).toEqual([0, 0, 0])
})

test('amounts are in the units of the currency', () => {
  expect(barsOf([day(0, 500)], { ...SPAN, currency: 'jpy' })[0]?.label).toBe('2026-04-01, 500 JPY paid')
})

test('the drawing stacks failed payments on paid ones, and shows the smallest', () => {
  const bars = barsOf([day(0, 5_000, 5_000), day(1, 10_000), day(2, 1)], SPAN)
  const drawn = String(DayChart({ bars, title: 'Payments <by> day', scale: '100.00 USD' }))
  expect(drawn).toContain('role="img" aria-label="Payments &lt;by&gt; day"')
  expect(drawn).toContain('<rect class="paid" x="0.15" y="50" width="0.7" height="50"></rect>')
  expect(drawn).toContain('<rect class="failed" x="0.15" y="0" width="0.7" height="50"></rect>')
  expect(drawn).toContain('<rect class="paid" x="1.15" y="0" width="0.7" height="100"></rect>')
  expect(drawn).toContain('<rect class="paid" x="2.15" y="98" width="0.7" height="2"></rect>')
  expect(drawn.match(/<title>/g)).toHaveLength(3)
  expect(drawn).toContain('100.00 USD')
})

test('the dates below are those of the last day, and of each seventh day before it', () => {
  const drawn = String(DayChart({ bars: barsOf([], { ...SPAN, count: 30 }), title: 'Payments', scale: '' }))
  expect([...drawn.matchAll(/<span>([^<]+)/g)].map(([, date]) => date)).toEqual([
    '04-09',
    '04-16',
    '04-23',
    '04-30',
  ])
})
