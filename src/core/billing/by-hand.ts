import type { Change } from '../change.ts'
import { INVOICE_TRANSITIONS, type Invoice, writtenOff } from '../invoice.ts'
import { type Subscription, withInvoice } from '../subscription.ts'
import { allows, cannotBe } from '../transitions.ts'
import { type Account, type EndingAccount, noteDelinquency } from './account.ts'
import { expire } from './cancel.ts'
import { type Collected, issue, openOnly, voidInvoice } from './collect.ts'
import { payNow, recover } from './retry.ts'

/**
 * Pays an invoice by hand; a draft is finalized first. A failure leaves the schedule of the retries as it is.
 * @throws ApiError invalid_state_transition, param status, when it is paid or void
 * See docs/contract/invoices.md#paying-by-hand.
 */
export function payByHand(
  change: Change,
  account: Account,
  invoice: Invoice,
  subscription: Subscription | null,
): Collected {
  if (invoice.status !== 'draft') {
    if (!allows(INVOICE_TRANSITIONS, invoice.status, 'pay')) {
      throw cannotBe('An invoice', invoice, 'paid')
    }
    return payNow(change, account, invoice, subscription, { scheduled: false })
  }
  const daysUntilDue = daysUntilDueOf(invoice, subscription)
  const collected = issue(change, account, invoice, { daysUntilDue, scheduled: false })
  showNewest(change, subscription, collected)
  noteDelinquency(change, account)
  return collected
}

/**
 * Finalizes a draft by hand; nothing is attempted. A zero total is paid at once.
 * @throws ApiError invalid_state_transition, param status, when it is no draft
 * See docs/contract/invoices.md#finalizing.
 */
export function finalizeByHand(
  change: Change,
  account: Account,
  draft: Invoice,
  subscription: Subscription | null,
): void {
  if (!allows(INVOICE_TRANSITIONS, draft.status, 'finalize')) {
    throw cannotBe('An invoice', draft, 'finalized')
  }
  const collected = openOnly(change, account, draft, daysUntilDueOf(draft, subscription))
  showNewest(change, subscription, collected)
  noteDelinquency(change, account)
}

/**
 * Voids an invoice by hand, and what that means for its subscription.
 * @throws ApiError invalid_state_transition, param status, when it is neither open nor written off
 * See docs/contract/invoices.md#status.
 */
export function voidByHand(
  change: Change,
  account: EndingAccount,
  invoice: Invoice,
  subscription: Subscription | null,
): void {
  voidInvoice(change, account, invoice)
  settleWithoutPayment(change, account, subscription)
}

/**
 * Writes an invoice off by hand, and what that means for its subscription.
 * @throws ApiError invalid_state_transition, param status, when it is not open
 * See docs/contract/invoices.md#status.
 */
export function writeOffByHand(
  change: Change,
  account: EndingAccount,
  invoice: Invoice,
  subscription: Subscription | null,
): void {
  change.update('invoice', invoice, (open) => writtenOff(open, account.now), 'invoice.marked_uncollectible')
  settleWithoutPayment(change, account, subscription)
}

function settleWithoutPayment(
  change: Change,
  account: EndingAccount,
  subscription: Subscription | null,
): void {
  if (subscription?.status === 'incomplete') expire(change, account, subscription)
  else if (subscription) recover(change, account, subscription, { paid: null })
  noteDelinquency(change, account)
}

/** Of a sent invoice: as it says itself, or else its subscription. */
const daysUntilDueOf = (invoice: Invoice, subscription: Subscription | null): number | null =>
  invoice.days_until_due ?? subscription?.days_until_due ?? null

/** The subscription's newest invoice, told when the API shows it. */
function showNewest(change: Change, subscription: Subscription | null, collected: Collected): void {
  if (!subscription) return
  const after = withInvoice(subscription, collected)
  const isShown = after.latest_invoice !== subscription.latest_invoice
  change.update('subscription', subscription, () => after, isShown ? 'subscription.updated' : null)
}
