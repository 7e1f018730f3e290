import { SECONDS_PER_DAY } from './calendar.ts'

/** The days after the failure on which a payment is retried. See docs/contract/invoices.md#retry-schedule. */
export const RETRY_DAYS: readonly number[] = [1, 3, 5, 7]

/** The number of attempts: the first one and its retries. */
export const MAX_ATTEMPTS = RETRY_DAYS.length + 1

/** What happens to a subscription after its last failed retry. See docs/contract/subscriptions.md#final-action. */
export const FINAL_ACTIONS = ['cancel', 'mark_unpaid', 'leave_past_due'] as const
export type FinalAction = (typeof FINAL_ACTIONS)[number]

/**
 * Returns when a failed payment is retried; null when no retry is left. The days count from the first failure and are
 * the same for every kind of decline.
 * @param failedAt - Unix seconds on the customer's clock when the first attempt failed
 * @param attempts - scheduled attempts so far, the first one included (≥ 1)
 * See docs/contract/invoices.md#retry-schedule.
 */
export function nextRetryAt(failedAt: number, attempts: number): number | null {
  const days = RETRY_DAYS[attempts - 1]
  return days === undefined ? null : failedAt + days * SECONDS_PER_DAY
}
