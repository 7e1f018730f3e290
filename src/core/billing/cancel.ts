import type { Change } from '../change.ts'
import { withoutRetries } from '../invoice-plan.ts'
import { isOpen } from '../invoice-status.ts'
import type { CancellationReason, Subscription } from '../subscription.ts'
import { factsOf, SUBSCRIPTION_TRANSITIONS } from '../subscription-status.ts'
import { cannotBe, move } from '../transitions.ts'
import { type EndingAccount, updateDelinquency } from './account.ts'
import { voidInvoice } from './collect.ts'
import { endDiscounts, withoutEnded } from './discounting.ts'
import { discardPendingUpdate } from './pending-update.ts'
import { endSchedule } from './schedule.ts'

/**
 * Ends a subscription now. Its open invoices stay open without retries; those of an incomplete subscription are voided.
 * Invoice items that still wait for it are left to the customer's next manual invoice.
 * @throws ApiError invalid_state_transition, param status, when it has already ended
 * See docs/contract/subscriptions.md#canceling.
 */
export function cancel(
  change: Change,
  given: EndingAccount,
  running: Subscription,
  reason: CancellationReason,
  canceledAt: number | null = running.canceled_at,
): void {
  const { account, subscription } = discardPendingUpdate(change, given, running)
  const status = move(SUBSCRIPTION_TRANSITIONS, subscription.status, 'cancel', () =>
    cannotBe('A subscription', subscription, 'canceled'),
  )
  if (factsOf(subscription).awaitsFirstPayment) voidOpenInvoices(change, account)
  else dropRetries(change, account)
  endDiscounts(change, account, change.latest('subscription', subscription))
  change.update(
    'subscription',
    subscription,
    (latest) => ({
      ...withoutEnded(change, latest),
      status,
      canceled_at: canceledAt ?? account.now,
      ended_at: account.now,
      cancellation_reason: reason,
    }),
    'subscription.deleted',
  )
  updateDelinquency(change, account)
  endSchedule(change, account)
}

/**
 * Expires a subscription whose first invoice was never paid. Invoice items that wait for it are left to the customer's next
 * manual invoice.
 * See docs/contract/subscriptions.md#incomplete-subscriptions.
 */
export function expire(change: Change, account: EndingAccount, subscription: Subscription): void {
  voidOpenInvoices(change, account)
  endDiscounts(change, account, subscription)
  change.update(
    'subscription',
    subscription,
    (latest) => ({
      ...withoutEnded(change, latest),
      status: move(SUBSCRIPTION_TRANSITIONS, latest.status, 'expire'),
      ended_at: account.now,
    }),
    'subscription.updated',
  )
  updateDelinquency(change, account)
  endSchedule(change, account)
}

/**
 * Removes the planned attempts of all invoices of a subscription, without an event. Its drafts are no longer finalized on
 * schedule.
 */
export function dropRetries(change: Change, account: EndingAccount): void {
  for (const plan of account.invoicePlans()) change.updatePlan(plan, withoutRetries)
}

function voidOpenInvoices(change: Change, account: EndingAccount): void {
  const latest = account.unpaidInvoices().map((invoice) => change.latest('invoice', invoice))
  for (const invoice of latest.filter(isOpen)) voidInvoice(change, account, invoice)
}
