import { addIntervals, nextBoundary, type Period } from './calendar.ts'
import { intervalOf, type Prices, type Subscription } from './subscription.ts'
import { isInTrial } from './subscription-status.ts'

/** Returns the period after the current one. See docs/contract/subscriptions.md#periods. */
export const nextPeriod = (
  { billing_cycle_anchor, current_period_end, items }: Subscription,
  prices: Prices,
) => ({
  start: current_period_end,
  end: nextBoundary(billing_cycle_anchor, intervalOf(items, prices), current_period_end),
})

/**
 * Reports whether the current period is a first one that an anchor has shortened.
 * See docs/contract/proration.md#a-first-period-up-to-an-anchor.
 */
export const isShortened = (subscription: Subscription): boolean =>
  !isInTrial(subscription) && subscription.current_period_start < subscription.billing_cycle_anchor

/**
 * Returns the span for which the full price of the current period counts: the period itself, or the whole interval up
 * to its end if it is shortened.
 */
export function pricedPeriod(subscription: Subscription, prices: Prices): Period {
  const { current_period_start, current_period_end: end, items } = subscription
  if (!isShortened(subscription)) return { start: current_period_start, end }
  return { start: addIntervals(end, intervalOf(items, prices), -1), end }
}
