import type { Change } from '../change.ts'
import { assert } from '../errors.ts'
import type { Invoice } from '../invoice.ts'
import type { Outcome } from '../processor.ts'
import { type Subscription, withInvoice } from '../subscription.ts'
import { factsOf, hasEnded, SUBSCRIPTION_TRANSITIONS } from '../subscription-status.ts'
import { allows, move } from '../transitions.ts'
import { type Account, type EndingAccount, isOwed, updateDelinquency } from './account.ts'
import { cancel, dropRetries, expire } from './cancel.ts'
import { attempt, type Collected } from './collect.ts'
import { isSavable, saveMethod } from './confirm.ts'
import { endRemovedDiscounts } from './discounting.ts'
import { recordFirstAttempt } from './first-attempt.ts'
import { discardPendingUpdate, withPendingApplied } from './pending-update.ts'

/**
 * Retries a failed payment on its schedule. Success makes the subscription active again. The last failure applies the
 * merchant's final action, or expires a subscription that was never paid.
 * See docs/contract/subscriptions.md#dunning.
 */
export function retry(
  change: Change,
  account: EndingAccount,
  invoice: Invoice,
  subscription: Subscription | null,
): void {
  const collected = payNow(change, account, invoice, subscription, { scheduled: true })
  if (subscription && invoice.attempt_count === 0)
    recordFirstAttempt(change, account, subscription, collected)
  const isOver = collected.result === 'failed' && collected.invoice.next_payment_attempt === null
  // An invoice with auto_advance can be collected after the end of its subscription.
  if (!isOver || !subscription || hasEnded(subscription)) return
  if (factsOf(subscription).awaitsFirstPayment) {
    expire(change, account, subscription)
  } else if (account.final_action === 'cancel') {
    cancel(change, account, subscription, 'payment_failed')
  } else if (account.final_action === 'mark_unpaid') {
    dropRetries(change, account)
    // Or while it is unpaid.
    if (!allows(SUBSCRIPTION_TRANSITIONS, subscription.status, 'mark_unpaid')) return
    change.update(
      'subscription',
      subscription,
      (latest) => ({ ...latest, status: move(SUBSCRIPTION_TRANSITIONS, latest.status, 'mark_unpaid') }),
      'subscription.updated',
    )
  }
}

/**
 * Attempts once to pay a finalized invoice, and updates its subscription on success.
 * @param scheduled - false for a payment by hand, whose failure does not change the retry schedule
 * @param settled - the outcome of settling an intent that waited for the customer
 * See docs/contract/invoices.md#paying-by-hand.
 */
export function payNow(
  change: Change,
  account: Account,
  invoice: Invoice,
  subscription: Subscription | null,
  { scheduled, settled }: { scheduled: boolean; settled?: Outcome },
): Collected {
  const intent = account.intents.get(invoice.id)
  assert(intent, `the intent of ${invoice.id} was loaded`)
  const collected = attempt(change, account, invoice, {
    intent,
    isNew: false,
    scheduled,
    ...(settled && { settled }),
  })
  if (collected.result === 'paid') {
    if (subscription && !scheduled) savePaymentMethod(change, account, subscription, settled !== undefined)
    recoverPaid(change, account, invoice, subscription)
  }
  updateDelinquency(change, account)
  return collected
}

/**
 * Updates a subscription after one of its invoices was paid, or credited in full. One `subscription.updated` reports all
 * changes.
 */
export function recoverPaid(
  change: Change,
  account: Account,
  paid: Invoice,
  subscription: Subscription | null,
): void {
  if (!subscription) return
  const latest = change.latest('subscription', subscription)
  const applied = withPendingApplied(latest, account, paid)
  if (applied === latest) {
    recover(change, account, subscription, { paid })
    return
  }
  endRemovedDiscounts(change, account, latest, applied)
  const after = recovered(change, account, applied, { paid })
  change.update('subscription', subscription, () => after, 'subscription.updated')
  change.update('subscription', subscription, (latest) => latest, 'subscription.pending_update_applied')
}

/** Attaches the payment method that paid by hand to the customer if it can be, and makes it the default one of a subscription that saves it. */
function savePaymentMethod(
  change: Change,
  account: Account,
  subscription: Subscription,
  isAuthenticated: boolean,
): void {
  const { paymentMethod, customer, rules } = account
  if (!paymentMethod || !isSavable(paymentMethod, customer)) return
  if (!rules.attachesChosenMethod)
    saveMethod(change, paymentMethod, { customer: customer.id, isSetUp: isAuthenticated })
  const { saves_payment_method, default_payment_method } = change.latest('subscription', subscription)
  if (!saves_payment_method || default_payment_method === paymentMethod.id) return
  change.update(
    'subscription',
    subscription,
    (latest) => ({ ...latest, default_payment_method: paymentMethod.id }),
    'subscription.updated',
  )
}

/**
 * Updates a subscription after one of its invoices was paid or closed.
 * See docs/contract/subscriptions.md#dunning.
 */
export function recover(
  change: Change,
  account: Account,
  subscription: Subscription,
  options: { paid: Invoice | null },
): void {
  const latest = change.latest('subscription', subscription)
  const after = recovered(change, account, latest, options)
  if (after !== latest) change.update('subscription', subscription, () => after, 'subscription.updated')
}

/**
 * Returns a subscription after one of its invoices was paid or closed. It is active again once no invoice is
 * outstanding. The first payment makes its latest invoice visible.
 * @returns the same object if nothing changes
 */
function recovered(
  change: Change,
  account: Account,
  subscription: Subscription,
  { paid }: { paid: Invoice | null },
): Subscription {
  const recovers =
    !isOwed(change, account, subscription) && allows(SUBSCRIPTION_TRANSITIONS, subscription.status, 'recover')
  const status = recovers
    ? move(SUBSCRIPTION_TRANSITIONS, subscription.status, 'recover')
    : subscription.status
  const isFirstPayment = paid !== null && subscription.latest_invoice === null
  if (status === subscription.status && !isFirstPayment) return subscription
  // The paid invoice may have been created while collection was paused, and then it is not yet the newest invoice.
  const invoices = isFirstPayment
    ? withInvoice(subscription, { result: 'paid', invoice: paid }, account.rules)
    : subscription
  const { newest_invoice, latest_invoice } = invoices
  return { ...subscription, status, newest_invoice, latest_invoice }
}

/**
 * Marks a sent invoice overdue when its due date passes unpaid.
 * See docs/contract/subscriptions.md#sent-invoices.
 */
export function passDueDate(
  change: Change,
  account: Account,
  invoice: Invoice,
  subscription: Subscription | null,
): void {
  change.update('invoice', invoice, (open) => ({ ...open, overdue: true }))
  if (subscription && factsOf(subscription).isPaidUp) {
    change.update(
      'subscription',
      subscription,
      (latest) => ({ ...latest, status: move(SUBSCRIPTION_TRANSITIONS, latest.status, 'fail') }),
      'subscription.updated',
    )
  }
  updateDelinquency(change, account)
}

/**
 * Discards the pending update of a subscription, if it has one. The subscription is active again if nothing else is
 * outstanding. One `subscription.updated` reports both.
 * @param event - a further event of the subscription
 * @returns the account with the items waiting that the update had billed, and the subscription without the update
 * See docs/contract/proration.md#pending-updates.
 */
export function dropPendingUpdate<Read extends Account>(
  change: Change,
  account: Read,
  waiting: Subscription,
  event: 'subscription.pending_update_expired' | null = null,
): { readonly account: Read; readonly subscription: Subscription } {
  const dropped = discardPendingUpdate(change, account, waiting, (released, latest) =>
    recovered(change, released, latest, { paid: null }),
  )
  if (dropped.account === account) return dropped
  change.update('subscription', waiting, (latest) => latest, event)
  updateDelinquency(change, account)
  return dropped
}

/** Drops the pending update of a subscription, if it has one, because it was not paid in time. */
export const expirePendingUpdate = <Read extends Account>(
  change: Change,
  account: Read,
  waiting: Subscription,
): { readonly account: Read; readonly subscription: Subscription } =>
  dropPendingUpdate(change, account, waiting, 'subscription.pending_update_expired')
