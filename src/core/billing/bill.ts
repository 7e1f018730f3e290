import type { Change } from '../change.ts'
import { type BillingReason, draftInvoice, type Invoice, writtenOff } from '../invoice.ts'
import { linesOf, type Subscription } from '../subscription.ts'
import type { Account } from './account.ts'
import { type Collected, finalize, intentOf, issue, voidInvoice } from './collect.ts'

export type Period = { readonly start: number; readonly end: number }

/**
 * Makes the invoice of one period of a subscription, finalizes it and collects it.
 * See docs/contract/subscriptions.md#renewal.
 */
export function bill(
  change: Change,
  account: Account,
  subscription: Subscription,
  { period, reason }: { period: Period; reason: BillingReason },
): Collected {
  const invoice = draft(change, account, subscription, { period, reason })
  return issue(change, account, invoice, { daysUntilDue: subscription.days_until_due })
}

/** The draft of one period's invoice. */
export function draft(
  change: Change,
  account: Account,
  subscription: Subscription,
  { period, reason }: { period: Period; reason: BillingReason },
): Invoice {
  const invoice = draftInvoice({
    id: account.newId('in'),
    created: account.now,
    customer: subscription.customer,
    subscription: subscription.id,
    currency: subscription.currency,
    collection_method: subscription.collection_method,
    billing_reason: reason,
    lines: linesOf(subscription.items, account.prices, account.newId),
    period_start: period.start,
    period_end: period.end,
    test_clock: subscription.test_clock,
  })
  return change.create('invoice', invoice, 'invoice.created')
}

/**
 * Bills a period as its subscription is billed now: collected, or held back while collection is paused.
 * @returns how the invoice fared; null for one that was held back
 */
export function billPeriod(
  change: Change,
  account: Account,
  subscription: Subscription,
  period: Period,
): Collected | null {
  if (!subscription.pause_collection)
    return bill(change, account, subscription, { period, reason: 'subscription_cycle' })
  billPaused(change, account, subscription, period)
  return null
}

/**
 * The invoice of a period in which collection is paused: a draft that stays one, or is written off or voided at once.
 * See docs/contract/subscriptions.md#pausing-collection.
 */
function billPaused(change: Change, account: Account, subscription: Subscription, period: Period): void {
  const invoice = draft(change, account, subscription, { period, reason: 'subscription_cycle' })
  const behavior = subscription.pause_collection?.behavior
  if (behavior === 'keep_as_draft') return
  if (invoice.total === 0) {
    issue(change, account, invoice, { daysUntilDue: null })
    return
  }
  const intent = change.create('payment_intent', intentOf(account, invoice))
  finalize(change, account, invoice, { payment_intent: intent.id, due_date: null })
  if (behavior === 'void') {
    voidInvoice(change, account, invoice)
  } else {
    change.update('invoice', invoice, (open) => writtenOff(open, account.now), 'invoice.marked_uncollectible')
  }
}
