import { nextBoundary } from '../calendar.ts'
import type { Change } from '../change.ts'
import { invalidStateTransition } from '../errors.ts'
import {
  canceledAt,
  intervalOf,
  isRunning,
  SUBSCRIPTION_TRANSITIONS,
  type Subscription,
  withInvoice,
  withoutCancellation,
} from '../subscription.ts'
import { move } from '../transitions.ts'
import { type Account, noteDelinquency } from './account.ts'
import { bill } from './bill.ts'
import { type Collected, voidInvoice } from './collect.ts'

/**
 * Resumes a subscription: withdraws a cancellation at the period's end and a pause of collection, or takes a paused one
 * into a new period that starts now.
 * @returns how the new period's invoice fared; null when there was none to collect
 * @throws ApiError invalid_state_transition, param status, when there is nothing to resume
 * See docs/contract/subscriptions.md#resuming.
 */
export function resume(change: Change, account: Account, subscription: Subscription): Collected | null {
  if (subscription.status === 'paused') return restart(change, account, subscription)
  const { cancel_at_period_end, pause_collection } = subscription
  if (!isRunning(subscription) || !(cancel_at_period_end || pause_collection)) {
    throw invalidStateTransition(
      `A subscription whose status is ${subscription.status} and that is neither paused nor about to be canceled cannot be resumed`,
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
 * A new period, anchored now, which is collected: whatever held that back is over, and so is a cancellation whose instant
 * passed during the pause. One that cannot be paid leaves the subscription paused and its invoice void.
 * See docs/contract/subscriptions.md#resuming; paytwin: what becomes of `cancel_at`.
 */
function restart(change: Change, account: Account, subscription: Subscription): Collected {
  const { now, prices } = account
  const period = { start: now, end: nextBoundary(now, intervalOf(subscription.items, prices), now) }
  const collected = bill(change, account, subscription, { period, reason: 'subscription_cycle' })
  if (collected.result === 'failed') {
    voidInvoice(change, account, collected.invoice)
    return collected
  }
  change.update(
    'subscription',
    subscription,
    (paused) => ({
      ...withInvoice(withoutPassed(paused, now), collected),
      pause_collection: null,
      status: move(SUBSCRIPTION_TRANSITIONS, paused.status, 'begin'),
      billing_cycle_anchor: now,
      current_period_start: period.start,
      current_period_end: period.end,
    }),
    'subscription.updated',
  )
  change.update('subscription', subscription, (latest) => latest, 'subscription.resumed')
  noteDelinquency(change, account)
  return collected
}

const withoutPassed = (subscription: Subscription, now: number): Subscription =>
  subscription.cancel_at !== null && subscription.cancel_at <= now
    ? canceledAt(subscription, null, now)
    : subscription
