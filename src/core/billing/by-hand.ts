import type { Change } from '../change.ts'
import { type Invoice, markedUncollectible, waitsAsDraft } from '../invoice.ts'
import { INVOICE_TRANSITIONS, isDraft, isOpen } from '../invoice-status.ts'
import { type Subscription, withInvoice } from '../subscription.ts'
import { factsOf } from '../subscription-status.ts'
import { allows, cannotBe } from '../transitions.ts'
import { type Account, type EndingAccount, updateDelinquency } from './account.ts'
import { expire } from './cancel.ts'
import { type Collected, finalizeWithoutAttempt, issue, settleOutOfBand, voidInvoice } from './collect.ts'
import { recordFirstAttempt } from './first-attempt.ts'
import { dropPendingUpdate, payNow, recover, recoverPaid } from './retry.ts'

/**
 * Pays an invoice on request; a draft is finalized first. A failure does not change the retry schedule. For a draft with a
 * planned finalization, the payment is the first attempt of the schedule.
 * @throws ApiError invalid_state_transition, param status, when it is paid or void
 * See docs/contract/invoices.md#paying-by-hand.
 */
export function payByHand(
  change: Change,
  account: Account,
  invoice: Invoice,
  subscription: Subscription | null,
): Collected {
  if (!isDraft(invoice)) {
    checkPayable(invoice)
    return payNow(change, account, invoice, subscription, { scheduled: false })
  }
  const daysUntilDue = daysUntilDueOf(invoice, subscription)
  const counts = waitsAsDraft(invoice)
  const collected = issue(change, account, invoice, { daysUntilDue, scheduled: false, counts })
  recordPayment(change, account, subscription, { collected, counts })
  return collected
}

/**
 * Marks an invoice paid that the customer paid in another way, on request; a draft is finalized first.
 * @throws ApiError invalid_state_transition, param status, when it is paid or void
 * See docs/contract/invoices.md#paid-out-of-band.
 */
export function payOutOfBand(
  change: Change,
  account: Account,
  invoice: Invoice,
  subscription: Subscription | null,
): Collected {
  if (!isDraft(invoice)) {
    checkPayable(invoice)
    const collected = settleOutOfBand(change, account, invoice)
    recoverPaid(change, account, invoice, subscription)
    updateDelinquency(change, account)
    return collected
  }
  const counts = waitsAsDraft(invoice)
  const issued = finalizeWithoutAttempt(change, account, invoice, daysUntilDueOf(invoice, subscription))
  const collected = isOpen(issued.invoice) ? settleOutOfBand(change, account, issued.invoice) : issued
  recordPayment(change, account, subscription, { collected, counts })
  return collected
}

/** @throws ApiError invalid_state_transition, param status, when it is paid or void */
function checkPayable(invoice: Invoice): void {
  if (!allows(INVOICE_TRANSITIONS, invoice.status, 'pay')) throw cannotBe('An invoice', invoice, 'paid')
}

/** Updates a subscription after one of its drafts was paid on request. */
function recordPayment(
  change: Change,
  account: Account,
  subscription: Subscription | null,
  { collected, counts }: { collected: Collected; counts: boolean },
): void {
  if (counts && subscription) recordFirstAttempt(change, account, subscription, collected)
  else updateNewestInvoice(change, account, subscription, collected)
  updateDelinquency(change, account)
}

/**
 * Finalizes a draft on request, without a charge attempt. A zero total is paid at once. A draft with a planned finalization is
 * charged later instead.
 * @throws ApiError invalid_state_transition, param status, when it is not a draft
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
  const collected = finalizeWithoutAttempt(change, account, draft, daysUntilDueOf(draft, subscription))
  if (waitsAsDraft(draft)) planAttempt(change, account, collected)
  updateNewestInvoice(change, account, subscription, collected)
  updateDelinquency(change, account)
}

/** Plans the first attempt to charge an invoice that was finalized on request. */
function planAttempt(change: Change, { now, rules }: Account, { invoice }: Collected): void {
  const { draftSeconds } = rules
  if (draftSeconds === null || !isOpen(invoice) || invoice.collection_method === 'send_invoice') return
  change.update('invoice', invoice, (open) => ({ ...open, next_payment_attempt: now + draftSeconds }))
}

/**
 * Voids an invoice on request and updates its subscription.
 * @throws ApiError invalid_state_transition, param status, when it is neither open nor uncollectible
 * See docs/contract/invoices.md#status.
 */
export function voidByHand(
  change: Change,
  account: EndingAccount,
  invoice: Invoice,
  subscription: Subscription | null,
): void {
  if (!isOfPendingUpdate(invoice, subscription)) voidInvoice(change, account, invoice)
  recoverOrExpire(change, account, invoice, subscription)
}

/**
 * Marks an open invoice uncollectible on request and updates its subscription. The invoice of a pending update is then voided.
 * @throws ApiError invalid_state_transition, param status, when it is not open
 * See docs/contract/invoices.md#status.
 */
export function markUncollectibleByHand(
  change: Change,
  account: EndingAccount,
  invoice: Invoice,
  subscription: Subscription | null,
): void {
  change.update(
    'invoice',
    invoice,
    (open) => markedUncollectible(open, account.now),
    'invoice.marked_uncollectible',
  )
  recoverOrExpire(change, account, invoice, subscription)
}

/** Reports whether a pending update waits for the payment of an invoice. Dropping the update voids the invoice. */
const isOfPendingUpdate = (
  { id }: Invoice,
  subscription: Subscription | null,
): subscription is Subscription => subscription?.pending_update?.invoice === id

/** Updates a subscription after one of its invoices was closed without payment, or drops the pending update of the invoice. */
function recoverOrExpire(
  change: Change,
  account: EndingAccount,
  invoice: Invoice,
  subscription: Subscription | null,
): void {
  if (isOfPendingUpdate(invoice, subscription)) dropPendingUpdate(change, account, subscription)
  else if (subscription && factsOf(subscription).awaitsFirstPayment) expire(change, account, subscription)
  else if (subscription) recover(change, account, subscription, { paid: null })
  updateDelinquency(change, account)
}

/** Returns the days until the due date of a sent invoice: its own, or else those of its subscription. */
export const daysUntilDueOf = (invoice: Invoice, subscription: Subscription | null): number | null =>
  invoice.days_until_due ?? subscription?.days_until_due ?? null

/** Sets the subscription's newest invoice; emits an update if `latest_invoice` changes. */
function updateNewestInvoice(
  change: Change,
  account: Account,
  subscription: Subscription | null,
  collected: Collected,
): void {
  if (!subscription) return
  const after = withInvoice(subscription, collected, account.rules)
  const isShown = after.latest_invoice !== subscription.latest_invoice
  change.update('subscription', subscription, () => after, isShown ? 'subscription.updated' : null)
}
