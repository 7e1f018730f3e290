import { expect, test } from 'vitest'
import { durationOf, parseTime, timeOf } from '../../src/cli/time.ts'
import { addDuration, formatInstant } from '../../src/core/calendar.ts'

test.each([
  ['1mo', '1mo'],
  ['P1M', 'P1M'],
  ['1 month', 'P1M'],
  ['2 weeks', 'P2W'],
  ['2 Weeks', 'P2W'],
  ['3days', 'P3D'],
  ['90 min', 'PT90M'],
  ['1 year 6 months', 'P1Y6M'],
  ['6 months, 1 year', 'P1Y6M'],
  ['1 day 2 hours 3 minutes 4 seconds', 'P1DT2H3M4S'],
])('the duration %j is %s', (text, duration) => {
  expect(durationOf(text)).toBe(duration)
  expect(addDuration(0, duration)).toBeGreaterThan(0)
})

test.each([
  '',
  'soon',
  '30',
  '1',
  'month',
  '1 fortnight',
  '1 month 2 months',
  '1 month!',
  '-1 day',
  '1.5 days',
])('%j is not a duration: exit 2', (text) => {
  expect(() => durationOf(text)).toThrow(expect.objectContaining({ exitStatus: 2 }))
})

test.each([
  ['2027', '2027-01-01T00:00:00Z'],
  ['2027-03', '2027-03-01T00:00:00Z'],
  ['2027-03-05', '2027-03-05T00:00:00Z'],
  ['2027-03-05T10:00', '2027-03-05T10:00:00Z'],
  ['1769853600', '2026-01-31T10:00:00Z'],
])('the time %s is %s', (text, instant) => {
  expect(formatInstant(timeOf('--to', text))).toBe(instant)
})

test.each(['', 'soon', '2027-13', '2027-02-30', '20270'.repeat(3)])('%j is not a time: exit 2', (text) => {
  expect(parseTime(text)).toBeUndefined()
  expect(() => timeOf('--to', text)).toThrow(expect.objectContaining({ exitStatus: 2 }))
})
