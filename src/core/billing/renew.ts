import type { Change } from '../change.ts'
import { nextPeriod, SUBSCRIPTION_TRANSITIONS, type Subscription } from '../subscription.ts'
import { move } from '../transitions.ts'
import { type Account, noteDelinquency } from './account.ts'
import { bill, billPaused, draft } from './bill.ts'
import { cancel } from './cancel.ts'
import { withInvoice } from './start.ts'

/**
 * Renews a subscription at the end of its period. The period moves on whether or not the payment succeeds; a failure
 * takes an active one to past_due.
 * Source: interface.md 3.1; state-machines.md, Subscription (rows "period end"); decisions.md 6.
 */
export function renew(change: Change, account: Account, subscription: Subscription): void {
  const period = nextPeriod(subscription, account.prices)
  const renewed = { ...subscription, current_period_start: period.start, current_period_end: period.end }
  const update = (after: Subscription) =>
    change.update('subscription', subscription, () => after, 'subscription.updated')

  if (subscription.status === 'unpaid') {
    draft(change, account, subscription, { period, reason: 'subscription_cycle' })
    update(renewed)
  } else if (subscription.pause_collection) {
    billPaused(change, account, subscription, period)
    update(renewed)
  } else {
    const collected = bill(change, account, subscription, { period, reason: 'subscription_cycle' })
    const fails = collected.result === 'failed' && subscription.status === 'active'
    const status = fails ? move(SUBSCRIPTION_TRANSITIONS, subscription.status, 'fail') : subscription.status
    update({ ...withInvoice(renewed, collected), status })
    noteDelinquency(change, account, collected.invoice)
  }
}

/**
 * Ends a trial: its first period is billed from the trial's end, which is the anchor. Without a payment method the
 * trial's settings decide.
 * Source: state-machines.md, Subscription (rows "trial end"); decisions.md 6, "Trials".
 */
export function endTrial(change: Change, account: Account, subscription: Subscription): void {
  const { collection_method, missing_payment_method } = subscription
  if (collection_method === 'charge_automatically' && !account.paymentMethod) {
    if (missing_payment_method === 'cancel') {
      cancel(change, account, subscription, 'payment_method_missing')
      return
    }
    if (missing_payment_method === 'pause') {
      change.update(
        'subscription',
        subscription,
        (trial) => ({ ...trial, status: move(SUBSCRIPTION_TRANSITIONS, trial.status, 'pause') }),
        'subscription.updated',
      )
      return
    }
  }
  const period = nextPeriod(subscription, account.prices)
  const collected = bill(change, account, subscription, { period, reason: 'subscription_cycle' })
  change.update(
    'subscription',
    subscription,
    (trial) => ({
      ...withInvoice(trial, collected),
      status: move(SUBSCRIPTION_TRANSITIONS, trial.status, collected.result === 'failed' ? 'fail' : 'begin'),
      current_period_start: period.start,
      current_period_end: period.end,
    }),
    'subscription.updated',
  )
  noteDelinquency(change, account, collected.invoice)
}

/** Collection goes on at the instant that the pause named. Source: decisions.md 6 (pause_collection). */
export function endPause(change: Change, subscription: Subscription): void {
  change.update(
    'subscription',
    subscription,
    (paused) => ({ ...paused, pause_collection: null }),
    'subscription.updated',
  )
}
