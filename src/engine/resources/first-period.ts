import { pastPeriods } from '../../core/billing/backdate.ts'
import { addIntervals, nextBoundary, SECONDS_PER_DAY } from '../../core/calendar.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { MAX_LINES } from '../../core/invoice.ts'
import type { Prices, Subscription } from '../../core/subscription.ts'

const MAX_TRIAL_YEARS = 2

type TrialParams = { trial_period_days?: number | undefined; trial_end?: number | 'now' | undefined }

/**
 * Returns the end of the requested trial; null for none.
 * @throws ApiError parameter_invalid, param trial_end
 * See docs/contract/subscriptions.md#trials.
 */
export function trialEnd({ trial_end, trial_period_days }: TrialParams, now: number): number | null {
  if (trial_period_days !== undefined) return now + trial_period_days * SECONDS_PER_DAY
  if (trial_end === undefined || trial_end === 'now') return null
  checkTrialEnd(trial_end, now)
  return trial_end
}

/**
 * Checks the anchor of a new subscription.
 * @throws ApiError parameter_invalid, param billing_cycle_anchor, when it is not in the future or more than a period
 *   ahead
 * See docs/contract/proration.md#a-first-period-up-to-an-anchor.
 */
export function checkAnchor(
  { billing_cycle_anchor: anchor }: { billing_cycle_anchor?: number | undefined },
  prices: Prices,
  now: number,
): void {
  if (anchor === undefined) return
  const refuse = (why: string) =>
    parameterInvalid('billing_cycle_anchor', `billing_cycle_anchor must be ${why}`)
  if (anchor <= now) throw refuse(`after the current time, ${now}`)
  const [price] = prices.values()
  const recurring = price?.recurring
  const last = recurring ? nextBoundary(now, recurring, now) : now
  if (anchor > last) throw refuse(`at most one period ahead, ${last}`)
}

/**
 * Checks the start of a new subscription in the past.
 * @param given.anchor - the anchor of the subscription, in Unix seconds
 * @throws ApiError parameter_invalid, param backdate_start_date, when it is not in the past, or so long ago that an invoice
 *   cannot bill all periods since
 */
export function checkBackdate(
  from: number | undefined,
  {
    items,
    prices,
    now,
    anchor,
  }: Pick<Subscription, 'items'> & { prices: Prices; now: number; anchor: number },
): void {
  if (from === undefined) return
  const refuse = (why: string) =>
    parameterInvalid('backdate_start_date', `backdate_start_date must be ${why}`)
  if (from >= now) throw refuse(`before the current time, ${now}`)
  const { length } = pastPeriods({ items }, { from, to: now, anchor, prices })
  if ((length + 1) * items.length > MAX_LINES)
    throw refuse(`later: an invoice can have at most ${MAX_LINES} lines, one for each item and period`)
}

/** @throws ApiError parameter_invalid, param trial_end, when it is not in the future or more than two years ahead */
export function checkTrialEnd(trial_end: number, now: number): void {
  if (trial_end <= now)
    throw parameterInvalid('trial_end', `trial_end must be after the current time, ${now}`)
  if (trial_end > addIntervals(now, { interval: 'year', interval_count: MAX_TRIAL_YEARS }, 1)) {
    throw parameterInvalid('trial_end', `trial_end must be at most ${MAX_TRIAL_YEARS} years ahead`)
  }
}
