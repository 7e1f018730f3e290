import type { Change } from '../change.ts'
import { nextPeriod, type Subscription, withInvoice } from '../subscription.ts'
import { factsOf, SUBSCRIPTION_TRANSITIONS } from '../subscription-status.ts'
import { move } from '../transitions.ts'
import { type Account, type EndingAccount, updateDelinquency } from './account.ts'
import { type Billing, billPeriod, draft, inPeriod } from './bill.ts'
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
  }
  if (!collectsRenewals) {
    draft(change, account, subscription, billing)
    update(renewed)
    return
  }
  const collected = billPeriod(change, account, subscription, billing)
  const fails = collected?.result === 'failed' && isPaidUp
  const status = fails ? move(SUBSCRIPTION_TRANSITIONS, subscription.status, 'fail') : subscription.status
  update({ ...withCollected(account, renewed, collected), status })
  if (collected) updateDelinquency(change, account)
}

/**
 * Ends a trial and bills the first period, which is anchored at the trial's end. The usage of the trial is free. Without a payment method the trial's
 * settings decide what happens. While collection is paused nothing is charged, as at a renewal.
 * @param options.as - the subscription with the other changes of the same update
 * @param options.endsAt - Unix seconds; earlier than planned when a request ends the trial
 * See docs/contract/subscriptions.md#trials; paytwin: a pause of collection.
 */
export function endTrial(
  change: Change,
  account: EndingAccount,
  subscription: Subscription,
  {
    as = subscription,
    endsAt = subscription.current_period_end,
  }: { as?: Subscription; endsAt?: number } = {},
): void {
  const ended: Subscription = {
    ...as,
    trial_end: endsAt,
    billing_cycle_anchor: endsAt,
    current_period_end: endsAt,
  }
  const update = (after: Subscription) =>
    change.update('subscription', subscription, () => withoutEnded(change, after), 'subscription.updated')

  const isUnpayable = ended.collection_method === 'charge_automatically' && !account.paymentMethod
  if (isUnpayable && ended.missing_payment_method === 'cancel') {
    change.update('subscription', subscription, () => ended)
    cancel(change, account, subscription, 'payment_method_missing')
  } else if (isUnpayable && ended.missing_payment_method === 'pause') {
    update({ ...ended, status: move(SUBSCRIPTION_TRANSITIONS, ended.status, 'pause') })
  } else {
    const period = nextPeriod(ended, account.prices)
    const collected = billPeriod(change, account, ended, { period, reason: 'subscription_cycle' })
    update({
      ...withCollected(account, inPeriod(account, ended, period), collected),
      status: move(SUBSCRIPTION_TRANSITIONS, ended.status, collected?.result === 'failed' ? 'fail' : 'begin'),
    })
    if (collected) updateDelinquency(change, account)
  }
}

/**
 * Sets the latest invoice; a period in which collection is paused leaves it unchanged.
 * See docs/contract/subscriptions.md#latest-invoice.
 */
const withCollected = (
  { rules }: Account,
  subscription: Subscription,
  collected: Collected | null,
): Subscription => (collected ? withInvoice(subscription, collected, rules) : subscription)

/** Ends a pause of collection at its `resumes_at`. See docs/contract/subscriptions.md#pausing-collection. */
export function endPause(change: Change, subscription: Subscription): void {
  change.update(
    'subscription',
    subscription,
    (paused) => ({ ...paused, pause_collection: null }),
    'subscription.updated',
  )
}
