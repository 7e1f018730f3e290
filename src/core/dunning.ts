import { SECONDS_PER_DAY } from './calendar.ts'

/** The days of the schedule `smart`: 8 retries within 2 weeks. */
const SMART_DAYS: readonly number[] = [1, 2, 3, 5, 7, 9, 11, 14]

/** A merchant's retry schedule: `smart`, or the days after the first failure, ascending. */
export type RetrySchedule = 'smart' | readonly number[]

/** The default schedule. See docs/contract/invoices.md#retry-schedule. */
export const DEFAULT_RETRIES: RetrySchedule = [1, 3, 5, 7]

/** The limits of a retry schedule: the number of retries, and the last day. */
export const MAX_RETRIES = 8
export const LAST_RETRY_DAY = 60

/** Returns the days of a schedule. */
export const daysOf = (schedule: RetrySchedule): readonly number[] =>
  schedule === 'smart' ? SMART_DAYS : schedule

/** Returns the number of attempts of a schedule: the first one and its retries. */
export const attemptsOf = (schedule: RetrySchedule): number => daysOf(schedule).length + 1

/**
 * Formats the number of an attempt: `2 of 5`. Only `2` if the number of attempts is unknown, or if the attempt was made on
 * another, longer schedule.
 */
export const attemptNumber = (attempt: number, most: number | null): string =>
  most === null || attempt > most ? `${attempt}` : `${attempt} of ${most}`

/** What happens to a subscription after its last failed retry. See docs/contract/subscriptions.md#final-action. */
export const FINAL_ACTIONS = ['cancel', 'mark_unpaid', 'leave_past_due'] as const
export type FinalAction = (typeof FINAL_ACTIONS)[number]

/**
 * Returns when a failed payment is retried; null when no retry is left. The time since the failed attempt is that between the
 * two attempts in the schedule, so a retry is never planned in the past, even if the schedule was changed or an attempt was
 * postponed. It is the same for every kind of decline.
 * @param failedAt - Unix seconds on the customer's clock when the last of the attempts failed
 * @param attempts - scheduled attempts so far, the first one included (≥ 1)
 * See docs/contract/invoices.md#retry-schedule.
 */
export function nextRetryAt(
  failedAt: number,
  attempts: number,
  schedule: RetrySchedule = DEFAULT_RETRIES,
): number | null {
  const days = daysOf(schedule)
  const day = days[attempts - 1]
  return day === undefined ? null : failedAt + (day - (days[attempts - 2] ?? 0)) * SECONDS_PER_DAY
}
