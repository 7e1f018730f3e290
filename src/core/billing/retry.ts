import type { Change } from '../change.ts'
import { assert } from '../errors.ts'
import type { Invoice } from '../invoice.ts'
import type { Outcome } from '../processor.ts'
import { type Subscription, withInvoice } from '../subscription.ts'
import { factsOf, SUBSCRIPTION_TRANSITIONS } from '../subscription-status.ts'
import { allows, move } from '../transitions.ts'
import { type Account, type EndingAccount, isOwed, updateDelinquency } from './account.ts'
import { cancel, dropRetries, expire } from './cancel.ts'
import { attempt, type Collected } from './collect.ts'
import { applyPendingUpdate, expirePendingUpdate } from './pending-update.ts'

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
  const isOver = collected.result === 'failed' && collected.invoice.next_payment_attempt === null
  if (!isOver || !subscription) return
  if (factsOf(subscription).awaitsFirstPayment) {
    expire(change, account, subscription)
  } else if (account.final_action === 'cancel') {
    cancel(change, account, subscription, 'payment_failed')
  } else if (account.final_action === 'mark_unpaid') {
    dropRetries(change, account)
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
    if (subscription && !scheduled) savePaymentMethod(change, account, subscription)
    recoverPaid(change, account, invoice, subscription)
  }
  updateDelinquency(change, account)
  return collected
}

/** Updates a subscription after one of its invoices was paid, or credited in full. */
export function recoverPaid(
  change: Change,
  account: Account,
  paid: Invoice,
  subscription: Subscription | null,
): void {
  if (!subscription) return
  applyPendingUpdate(change, account, subscription, paid)
  recover(change, account, subscription, { paid })
}

/** Attaches the payment method that paid by hand to the customer, and makes it the default one of a subscription that saves it. */
function savePaymentMethod(change: Change, account: Account, subscription: Subscription): void {
  const { paymentMethod, customer, rules } = account
  if (!paymentMethod) return
  if (paymentMethod.customer === null && !rules.attachesChosenMethod)
    change.update(
      'payment_method',
      paymentMethod,
      (unattached) => ({ ...unattached, customer: customer.id }),
      'payment_method.attached',
    )
  if (subscription.saves_payment_method)
    change.update('subscription', subscription, (latest) => ({
      ...latest,
      default_payment_method: paymentMethod.id,
    }))
}

/**
 * Updates a subscription after one of its invoices was paid or closed. It is active again once no invoice is
 * outstanding. The first payment makes its latest invoice visible.
 * See docs/contract/subscriptions.md#dunning.
 */
export function recover(
  change: Change,
  account: Account,
  subscription: Subscription,
  { paid }: { paid: Invoice | null },
): void {
  const recovers =
    !isOwed(change, account, subscription) && allows(SUBSCRIPTION_TRANSITIONS, subscription.status, 'recover')
  const status = recovers
    ? move(SUBSCRIPTION_TRANSITIONS, subscription.status, 'recover')
    : subscription.status
  const isFirstPayment = paid !== null && subscription.latest_invoice === null
  if (status === subscription.status && !isFirstPayment) return
  // The paid invoice may have been created while collection was paused, and then it is not yet the newest invoice.
  const invoices = isFirstPayment
    ? withInvoice(subscription, { result: 'paid', invoice: paid }, account.rules)
    : subscription
  const { newest_invoice, latest_invoice } = invoices
  change.update(
    'subscription',
    subscription,
    (latest) => ({ ...latest, status, newest_invoice, latest_invoice }),
    'subscription.updated',
  )
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
 * Ends the wait for the payment of a pending update.
 * See docs/contract/proration.md#pending-updates.
 */
export function stopWaiting(change: Change, account: Account, subscription: Subscription): void {
  expirePendingUpdate(change, account, subscription)
  recover(change, account, subscription, { paid: null })
}
