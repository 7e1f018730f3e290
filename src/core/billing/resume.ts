import { nextBoundary } from '../calendar.ts'
import type { Change } from '../change.ts'
import { invalidStateTransition } from '../errors.ts'
import { canceledAt, intervalOf, type Subscription, withoutCancellation } from '../subscription.ts'
import { factsOf, isRunning, SUBSCRIPTION_TRANSITIONS } from '../subscription-status.ts'
import { move } from '../transitions.ts'
import { type Account, updateDelinquency } from './account.ts'
import { bill, inPeriod, withBilledPeriod } from './bill.ts'
import { type Collected, voidInvoice } from './collect.ts'
import { withoutEnded } from './discounting.ts'

/**
 * Resumes a subscription: withdraws a cancellation at the period's end and a pause of collection, or starts a new
 * period of a paused subscription now.
 * @returns the result of collecting the new period's invoice; null when there was none to collect
 * @throws ApiError invalid_state_transition, param status, when there is nothing to resume
 * See docs/contract/subscriptions.md#resuming.
 */
export function resume(change: Change, account: Account, subscription: Subscription): Collected | null {
  if (factsOf(subscription).isPaused) return restart(change, account, subscription)
  const { cancel_at_period_end, pause_collection } = subscription
  if (!isRunning(subscription) || !(cancel_at_period_end || pause_collection)) {
    throw invalidStateTransition(
      `Only a subscription that is paused or scheduled for cancellation can be resumed; the status of this one is ${subscription.status}`,
    )
  }
  const cleared = cancel_at_period_end ? withoutCancellation(subscription) : subscription
  change.update(
    'subscription',
    subscription,
    () => ({ ...cleared, pause_collection: null }),
    'subscription.updated',
  )
  change.update('subscription', subscription, (latest) => latest, 'subscription.resumed')
  return null
}

/**
 * Starts a new period, anchored now, and collects it. The pause of collection ends, and so does a cancellation that
 * fell into the pause. If the payment fails, the subscription stays paused and the invoice is voided.
 * See docs/contract/subscriptions.md#resuming; paytwin: the handling of `cancel_at`.
 */
function restart(change: Change, account: Account, subscription: Subscription): Collected {
  const { now, prices } = account
  const period = { start: now, end: nextBoundary(now, intervalOf(subscription.items, prices), now) }
  const collected = bill(change, account, subscription, { period, reason: 'subscription_cycle' })
  if (collected.result === 'failed') {
    voidInvoice(change, account, collected.invoice)
    const left = withoutEnded(change, subscription)
    if (left !== subscription) change.update('subscription', subscription, () => left, 'subscription.updated')
    return collected
  }
  change.update(
    'subscription',
    subscription,
    (paused) => ({
      ...withoutEnded(
        change,
        withBilledPeriod(inPeriod(account, withoutPassed(paused, now), period), collected, account),
      ),
      pause_collection: null,
      status: move(SUBSCRIPTION_TRANSITIONS, paused.status, 'begin'),
      billing_cycle_anchor: now,
    }),
    'subscription.updated',
  )
  change.update('subscription', subscription, (latest) => latest, 'subscription.resumed')
  updateDelinquency(change, account)
  return collected
}

/** Returns the subscription without a cancellation whose instant has passed. */
const withoutPassed = (subscription: Subscription, now: number): Subscription =>
  subscription.cancel_at !== null && subscription.cancel_at <= now
    ? canceledAt(subscription, null, now)
    : subscription
