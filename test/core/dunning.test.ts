import { expect, test } from 'vitest'
import { parseInstant, SECONDS_PER_DAY } from '../../src/core/calendar.ts'
import {
  attemptNumber,
  attemptsOf,
  DEFAULT_RETRIES,
  FINAL_ACTIONS,
  nextRetryAt,
} from '../../src/core/dunning.ts'
import { table } from '../table.ts'

const FAILED_AT = 1_772_272_800

test('a failed payment is retried 1, 3, 5 and 7 days after it failed', () => {
  expect(DEFAULT_RETRIES).toEqual([1, 3, 5, 7])
  expect(attemptsOf(DEFAULT_RETRIES)).toBe(5)
})

test.each(
  table(
    ['attempts', 'failed', 'next'],
    `
    1  2026-02-28T10:00:00Z  2026-03-01T10:00:00Z
    2  2026-03-01T10:00:00Z  2026-03-03T10:00:00Z
    3  2026-03-03T10:00:00Z  2026-03-05T10:00:00Z
    4  2026-03-05T10:00:00Z  2026-03-07T10:00:00Z
    `,
  ),
)('after attempt $attempts failed at $failed the next is at $next', ({ attempts, failed, next }) => {
  expect(nextRetryAt(parseInstant(failed) ?? 0, Number(attempts))).toBe(parseInstant(next))
})

test('a retry on a changed schedule comes as long after the failed attempt as the schedule says', () => {
  const dayTen = FAILED_AT + 10 * SECONDS_PER_DAY
  expect(nextRetryAt(dayTen, 2, [1, 2, 3])).toBe(dayTen + SECONDS_PER_DAY)
  expect(nextRetryAt(dayTen, 1, [5])).toBe(dayTen + 5 * SECONDS_PER_DAY)
})

test.each([5, 6, 100])('after %i attempts none is left', (attempts) => {
  expect(nextRetryAt(FAILED_AT, attempts)).toBeNull()
})

test('there are three final actions', () => {
  expect(FINAL_ACTIONS).toEqual(['cancel', 'mark_unpaid', 'leave_past_due'])
})

test('the number of an attempt names how many there are, if that is known and not exceeded', () => {
  expect(attemptNumber(2, 5)).toBe('2 of 5')
  expect(attemptNumber(9, attemptsOf('smart'))).toBe('9 of 9')
  expect(attemptNumber(6, 5)).toBe('6')
  expect(attemptNumber(2, null)).toBe('2')
})
