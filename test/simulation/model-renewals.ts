import {
  attemptOnSchedule,
  bill,
  cancel,
  expire,
  invoicesOf,
  noteSettled,
  voidInvoice,
} from './model-billing.ts'
import type { Operation } from './model-events.ts'
import { methodFor } from './model-payment.ts'
import { enterFirstPeriod, enterNextPeriod } from './model-periods.ts'
import type { Invoice, Subscription } from './model-state.ts'

/** See docs/contract/subscriptions.md#dunning. */
export function retry(
  operation: Operation,
  subscription: Subscription,
  invoice: Invoice,
): { isDeleted: boolean } | undefined {
  const outcome = attemptOnSchedule(operation, invoice, subscription)
  if (outcome === 'approved') {
    noteSettled(operation, subscription, invoice)
    return undefined
  }
  if (invoice.next !== null) return undefined
  if (subscription.status === 'incomplete') {
    voidInvoice(operation, invoice, true)
    expire(operation, subscription)
    return undefined
  }
  const { finalAction } = operation.merchant
  if (finalAction === 'leave_past_due') return undefined
  if (finalAction === 'mark_unpaid') {
    subscription.status = 'unpaid'
    for (const other of invoicesOf(operation.merchant, subscription)) other.next = null
    return undefined
  }
  cancel(operation, subscription, { reason: 'payment_failed' })
  return { isDeleted: true }
}

/** Ends a trial before its time. */
export function endTrialNow(
  operation: Operation,
  subscription: Subscription,
): { isDeleted: boolean } | undefined {
  const { at, merchant } = operation
  Object.assign(subscription, { trialEnd: at, end: at, anchor: at, trialNoticeAt: null })
  if (merchant.notices.trial_will_end !== null) operation.tellFirst('trial_will_end', subscription)
  return endTrial(operation, subscription)
}

/** See docs/contract/subscriptions.md#renewal. */
export function renew(operation: Operation, subscription: Subscription): undefined {
  const ended = { items: subscription.items, start: subscription.start, end: subscription.end }
  enterNextPeriod(operation, subscription)
  const outcome = bill(operation, subscription, { reason: 'subscription_cycle', ended })
  if (outcome !== 'approved' && outcome !== 'not tried') subscription.status = 'past_due'
}

/** Ends a trial, whose end is the anchor. See docs/contract/subscriptions.md#trials. */
export function endTrial(
  operation: Operation,
  subscription: Subscription,
): { isDeleted: boolean } | undefined {
  const { at } = operation
  const isWithoutMethod =
    subscription.collection === 'charge_automatically' &&
    methodFor(operation, subscription.customer, subscription) === null
  if (isWithoutMethod && subscription.missing === 'cancel') {
    cancel(operation, subscription, { reason: 'payment_method_missing' })
    return { isDeleted: true }
  }
  if (isWithoutMethod && subscription.missing === 'pause') {
    subscription.status = 'paused'
    return undefined
  }
  subscription.anchor = at
  subscription.status = 'active'
  enterFirstPeriod(operation, subscription)
  const outcome = bill(operation, subscription, { reason: 'subscription_cycle' })
  if (outcome !== 'approved' && outcome !== 'not tried') subscription.status = 'past_due'
  return undefined
}
