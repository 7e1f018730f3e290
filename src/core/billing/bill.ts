import type { Change } from '../change.ts'
import { type BillingReason, draftInvoice, type Invoice, markedUncollectible } from '../invoice.ts'
import { linesOf, type Subscription } from '../subscription.ts'
import type { Account } from './account.ts'
import { type Collected, finalize, intentOf, issue, voidInvoice } from './collect.ts'

export type Period = { readonly start: number; readonly end: number }

/**
 * Creates the invoice of one period of a subscription, finalizes it and collects it.
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

/** Creates the draft invoice of one period. */
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
 * Creates the invoice of a renewal: collected at once, or handled as `pause_collection` requires.
 * @returns the result of the collection; null while collection is paused
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
 * Creates the invoice of a period in which collection is paused: it stays a draft, or is marked uncollectible or
 * voided.
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
    change.update(
      'invoice',
      invoice,
      (open) => markedUncollectible(open, account.now),
      'invoice.marked_uncollectible',
    )
  }
}
