import type { Change } from '../change.ts'
import type { MissingPaymentMethod, Subscription } from '../subscription.ts'
import { nextPeriod } from '../subscription-period.ts'
import { factsOf, SUBSCRIPTION_TRANSITIONS } from '../subscription-status.ts'
import { move } from '../transitions.ts'
import { type Account, type EndingAccount, updateDelinquency } from './account.ts'
import {
  type Billed,
  type Billing,
  billPeriod,
  billRenewal,
  collectedOf,
  draft,
  inPeriod,
  withBilledPeriod,
} from './bill.ts'
import { cancel } from './cancel.ts'
import type { Collected } from './collect.ts'
import { withoutEnded } from './discounting.ts'
import { expirePendingUpdate } from './retry.ts'
import { endedAt } from './usage.ts'

/**
 * Renews a subscription for its next period. The period moves on whether or not the payment succeeds. A failure makes
 * an active subscription past_due.
 * See docs/contract/subscriptions.md#renewal.
 */
export function renew(change: Change, given: Account, running: Subscription): void {
  const { account, subscription } = expirePendingUpdate(change, given, running)
  const period = nextPeriod(subscription, account.prices)
  const renewed = inPeriod(account, subscription, period)
  const update = (after: Subscription) =>
    change.update('subscription', subscription, () => withoutEnded(change, after), 'subscription.updated')

  const { collectsRenewals, isPaidUp } = factsOf(subscription)
  const billing: Billing = {
    period,
    reason: 'subscription_cycle',
    ended: endedAt(subscription, period.start),
    previousStart: subscription.current_period_start,
  }
  const billed: Billed = collectsRenewals
    ? billRenewal(change, account, subscription, billing)
    : { result: 'uncollected', invoice: draft(change, account, subscription, billing) }
  const fails = billed.result === 'failed' && isPaidUp
  const status = fails ? move(SUBSCRIPTION_TRANSITIONS, subscription.status, 'fail') : subscription.status
  update({ ...withBilledPeriod(renewed, billed, account), status })
  if (billed.result !== 'uncollected') updateDelinquency(change, account)
}

/**
 * Ends a trial and bills the first period, which is anchored at the trial's end. The usage of the trial is free. Without a payment method the trial's
 * settings decide what happens. While collection is paused nothing is charged, as at a renewal.
 * @returns the result of the first invoice; null if none was collected
 * See docs/contract/subscriptions.md#trials; paytwin: a pause of collection.
 */
export function endTrial(
  change: Change,
  account: EndingAccount,
  subscription: Subscription,
  { as = subscription, endsAt, ifMissing = as.missing_payment_method }: TrialEnd = {},
): Collected | null {
  const end = endsAt ?? subscription.current_period_end
  const ended: Subscription = {
    ...as,
    trial_end: end,
    billing_cycle_anchor: end,
    current_period_end: end,
  }
  const update = (after: Subscription) =>
    change.update('subscription', subscription, () => withoutEnded(change, after), 'subscription.updated')

  const isUnpayable = ended.collection_method === 'charge_automatically' && !account.paymentMethod
  if (isUnpayable && ifMissing === 'cancel') {
    change.update('subscription', subscription, () => ended)
    cancel(change, account, subscription, 'payment_method_missing')
  } else if (isUnpayable && ifMissing === 'pause') {
    update({ ...ended, status: move(SUBSCRIPTION_TRANSITIONS, ended.status, 'pause') })
    if (account.rules.reportsPauses)
      change.update('subscription', subscription, (paused) => paused, 'subscription.paused')
  } else {
    const period = nextPeriod(ended, account.prices)
    const previousStart = ended.current_period_start
    const billing: Billing = { period, reason: 'subscription_cycle', previousStart }
    const collect = endsAt === undefined ? billRenewal : billPeriod
    const billed: Billed = collect(change, account, ended, billing)
    update({
      ...withBilledPeriod(inPeriod(account, ended, period), billed, account),
      status: move(SUBSCRIPTION_TRANSITIONS, ended.status, billed.result === 'failed' ? 'fail' : 'begin'),
    })
    if (billed.result !== 'uncollected') updateDelinquency(change, account)
    return collectedOf(billed)
  }
  return null
}

type TrialEnd = {
  /** The subscription with the other changes of the same update. */
  readonly as?: Subscription
  /** Unix seconds; earlier than planned when a request ends the trial, and then its invoice is not a draft. */
  readonly endsAt?: number | undefined
  /** What happens without a payment method; by default what the trial's settings say. */
  readonly ifMissing?: MissingPaymentMethod | undefined
}

/** Ends a pause of collection at its `resumes_at`. See docs/contract/subscriptions.md#pausing-collection. */
export function endPause(change: Change, subscription: Subscription): void {
  change.update(
    'subscription',
    subscription,
    (paused) => ({ ...paused, pause_collection: null }),
    'subscription.updated',
  )
}
