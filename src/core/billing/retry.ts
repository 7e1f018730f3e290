import type { Change } from '../change.ts'
import { assert } from '../errors.ts'
import type { Invoice } from '../invoice.ts'
import type { Outcome } from '../processor.ts'
import { SUBSCRIPTION_TRANSITIONS, type Subscription, withInvoice } from '../subscription.ts'
import { allows, move } from '../transitions.ts'
import { type Account, type EndingAccount, isOwed, noteDelinquency } from './account.ts'
import { cancel, dropRetries, expire } from './cancel.ts'
import { attempt, type Collected } from './collect.ts'

/**
 * Tries a failed payment again, as its schedule says. Success recovers the subscription; the last failure ends it as the
 * merchant's final action says, or expires it when it was never paid.
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
  if (subscription.status === 'incomplete') {
    expire(change, account, subscription)
  } else if (account.final_action === 'cancel') {
    cancel(change, account, subscription, 'payment_failed')
  } else if (account.final_action === 'mark_unpaid') {
    dropRetries(change, account)
    change.update(
      'subscription',
      subscription,
      (latest) => ({ ...latest, status: move(SUBSCRIPTION_TRANSITIONS, latest.status, 'give_up') }),
      'subscription.updated',
    )
  }
}

/**
 * One attempt to pay an invoice that was finalized before, and what success means for its subscription.
 * @param scheduled - false for a payment by hand, which leaves the schedule as it is when it fails
 * @param settled - what became of a confirmation that waited for the customer
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
  if (subscription && collected.result === 'paid') recover(change, account, subscription, { paid: invoice })
  noteDelinquency(change, account)
  return collected
}

/**
 * What it means for a subscription that one of its invoices is settled: it is active again once nothing is outstanding,
 * and its latest invoice shows from the first payment on.
 * See docs/contract/subscriptions.md#dunning.
 */
export function recover(
  change: Change,
  account: Account,
  subscription: Subscription,
  { paid }: { paid: Invoice | null },
): void {
  const settles =
    !isOwed(change, account, subscription) &&
    subscription.status !== 'paused' &&
    allows(SUBSCRIPTION_TRANSITIONS, subscription.status, 'settle')
  const status = settles ? move(SUBSCRIPTION_TRANSITIONS, subscription.status, 'settle') : subscription.status
  const isFirstPayment = paid !== null && subscription.latest_invoice === null
  if (status === subscription.status && !isFirstPayment) return
  // What was paid may have been held back when it was made, and so is not known as the newest yet.
  const invoices = isFirstPayment
    ? withInvoice(subscription, { result: 'paid', invoice: paid })
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
 * The due date of a sent invoice has passed unpaid.
 * See docs/contract/subscriptions.md#sent-invoices.
 */
export function passDueDate(
  change: Change,
  account: Account,
  invoice: Invoice,
  subscription: Subscription | null,
): void {
  change.update('invoice', invoice, (open) => ({ ...open, overdue: true }))
  if (subscription?.status === 'active') {
    change.update(
      'subscription',
      subscription,
      (latest) => ({ ...latest, status: move(SUBSCRIPTION_TRANSITIONS, latest.status, 'fail') }),
      'subscription.updated',
    )
  }
  noteDelinquency(change, account)
}
