import type { Period } from '../calendar.ts'
import type { Change } from '../change.ts'
import { type BillingReason, draftInvoice, type Invoice, markedUncollectible } from '../invoice.ts'
import { type InvoiceItem, itemsOfOneInvoice, lineOfItem } from '../invoice-item.ts'
import type { InvoiceLine } from '../invoice-line.ts'
import { MAX_AMOUNT, sumOf } from '../money.ts'
import { periodAmount } from '../period-amount.ts'
import { linesOf } from '../period-lines.ts'
import { type Subscription, type SubscriptionItem, withInvoice } from '../subscription.ts'
import type { Account } from './account.ts'
import { balanceApplied } from './balance.ts'
import { withAmountsOff } from './change-discounts.ts'
import {
  type Collected,
  createIntent,
  finalize,
  finalizeWithoutAttempt,
  intentOf,
  issue,
  voidInvoice,
} from './collect.ts'
import { discountLines, spendDiscounts } from './discounting.ts'
import { withNotices } from './schedule-notices.ts'
import { type EndedPeriod, roomForUsage, usageLines } from './usage.ts'

/** What an invoice of a subscription bills: pending items, and the subscription's items for a period. */
export type Billing = {
  readonly period: Period
  readonly reason: BillingReason
  /** The items that are billed for the period; by default all. An invoice of prorations alone bills none. */
  readonly items?: readonly SubscriptionItem[]
  /** The period that ends and whose usage is billed; absent for none. */
  readonly ended?: EndedPeriod
  /** Present if the items cost nothing, because the period is a trial: the names of their prices, by id. */
  readonly isFree?: { readonly names: ReadonlyMap<string, string> }
  /** Whether the invoice waits to be paid by hand. It is not charged. */
  readonly isUncharged?: boolean
  /** The start of the period that ends, in Unix seconds; absent for none. */
  readonly previousStart?: number
  /** When the draft is finalized and charged, in Unix seconds; absent if only a request finalizes it. */
  readonly finalizesAt?: number
}

/** The result of billing: the result of the collection, or an invoice that is not collected now. */
export type Billed = Collected | { readonly result: 'uncollected'; readonly invoice: Invoice }

/** Returns the result of the collection; null if nothing was collected. */
export const collectedOf = (billed: Billed): Collected | null =>
  billed.result === 'uncollected' ? null : billed

/**
 * Returns the subscription in a period that is billed now. Items beyond the limits of an invoice wait for the next one, so the
 * flag for pending items is cleared only if none were found.
 */
export const inPeriod = (
  account: Account,
  subscription: Subscription,
  { start, end }: Period,
): Subscription =>
  withNotices(
    {
      ...subscription,
      current_period_start: start,
      current_period_end: end,
      has_pending_items: account.pendingItems.length > 0,
    },
    account,
  )

/** Returns the subscription after the invoice that bills a whole period of it. */
export const withBilledPeriod = (
  subscription: Subscription,
  billed: Billed,
  { discounts, rules }: Pick<Account, 'discounts' | 'rules'>,
): Subscription => withInvoice(withAmountsOff(subscription, billed.invoice, discounts), billed, rules)

/**
 * Creates the invoice of one period of a subscription, finalizes it and collects it.
 * See docs/contract/subscriptions.md#renewal.
 */
export function bill(
  change: Change,
  account: Account,
  subscription: Subscription,
  billing: Billing,
): Collected {
  const invoice = draft(change, account, subscription, billing)
  const daysUntilDue = subscription.days_until_due
  if (!billing.isUncharged) return issue(change, account, invoice, { daysUntilDue })
  // The customer only has to confirm the intent.
  return finalizeWithoutAttempt(change, account, invoice, daysUntilDue, account.paymentMethod)
}

const NO_IDS: readonly string[] = []

/**
 * Creates the draft invoice of one period. Its lines are the subscription's pending invoice items, oldest first, then the usage
 * of the period that ends, and then its items. Some merchants' rules add the customer's other pending items. Pending items that
 * would exceed the largest amount wait for the next invoice, because a renewal must not fail.
 * See docs/contract/invoices.md#lines.
 */
export function draft(change: Change, given: Account, subscription: Subscription, billing: Billing): Invoice {
  const { period, reason, items = subscription.items, ended, isFree, previousStart, finalizesAt } = billing
  const account = isFree ? given : withLooseItems(given)
  const { newId, prices, pendingItems, discounts } = account
  const id = newId('in')
  const fixed = isFree ? 0 : periodAmount(items, prices)
  const usage = ended ? usageLines(account, ended, roomForUsage(fixed)) : []
  const billed = pendingItems.length === 0 ? [] : itemsThatFit(pendingItems, fixed + sumOf(usage))
  const pending = [...billed.map((item) => lineOfItem(item, newId('il'))), ...usage]
  const priced = linesOf(items, prices, newId)
  const ofItems = isFree ? priced.map((line) => freeLine(line, isFree.names)) : priced
  const { currency } = subscription
  const all = pending.length === 0 ? ofItems : [...pending, ...ofItems]
  const content =
    discounts.size === 0
      ? { lines: all, discounts: NO_IDS }
      : discountLines(change, account, subscription, { id, currency, lines: all })
  const invoice = draftInvoice({
    id,
    created: account.now,
    customer: subscription.customer,
    subscription: subscription.id,
    currency,
    collection_method: subscription.collection_method,
    billing_reason: reason,
    lines: content.lines,
    discounts: content.discounts,
    period_start: period.start,
    period_end: period.end,
    previous_start: account.rules.invoicesPastPeriod ? previousStart : undefined,
    begins_period: reason === 'subscription_update' && billing.items === undefined,
    next_payment_attempt: finalizesAt,
    test_clock: subscription.test_clock,
  })
  const created = change.create('invoice', invoice, 'invoice.created')
  for (const item of billed)
    change.update('invoice_item', item, (latest) => ({ ...latest, invoice: invoice.id, billed_with: null }))
  if (discounts.size > 0) spendDiscounts(change, account, created)
  return created
}

/** Adds the customer's pending items that belong to no subscription, if the invoice has room for them beside those of the subscription. */
function withLooseItems(account: Account): Account {
  const loose = account.looseItems?.()
  if (!loose || loose.items.length === 0) return account
  const { pendingItems: own } = account
  return {
    ...account,
    pendingItems: [...own, ...itemsOfOneInvoice([...own, ...loose.items]).slice(own.length)],
    discounts: new Map([...account.discounts, ...loose.discounts]),
    prices: new Map([...account.prices, ...loose.prices]),
  }
}

/** Returns the line of an item during a trial, which costs nothing. */
const freeLine = (line: InvoiceLine, names: ReadonlyMap<string, string>): InvoiceLine => ({
  ...line,
  amount: 0,
  unit_amount: 0,
  description: `Free trial for ${line.quantity} × ${names.get(line.price ?? '') ?? line.price}`,
})

/** Returns the items that can be added to an amount, in their order, so that the total never exceeds the largest amount. */
function itemsThatFit(items: readonly InvoiceItem[], amount: number): InvoiceItem[] {
  let sum = amount
  return items.filter((item) => {
    if (sum + item.amount > MAX_AMOUNT) return false
    sum += item.amount
    return true
  })
}

/**
 * Creates the invoice of a period that begins on schedule. Some merchants' rules leave it a draft at first.
 * See docs/contract/invoices.md#drafts-that-advance.
 */
export function billRenewal(
  change: Change,
  account: Account,
  subscription: Subscription,
  billing: Billing,
): Billed {
  const { draftSeconds } = account.rules
  if (draftSeconds === null || subscription.pause_collection)
    return billPeriod(change, account, subscription, billing)
  const finalizesAt = account.now + draftSeconds
  return { result: 'uncollected', invoice: draft(change, account, subscription, { ...billing, finalizesAt }) }
}

/**
 * Creates the invoice of a period or of a change: collected at once, or handled as `pause_collection` requires.
 */
export function billPeriod(
  change: Change,
  account: Account,
  subscription: Subscription,
  billing: Billing,
): Billed {
  if (!subscription.pause_collection) return bill(change, account, subscription, billing)
  return { result: 'uncollected', invoice: billPaused(change, account, subscription, billing) }
}

/**
 * Creates the invoice of a period in which collection is paused: it stays a draft, or is marked uncollectible or
 * voided.
 * See docs/contract/subscriptions.md#pausing-collection.
 */
function billPaused(change: Change, account: Account, subscription: Subscription, billing: Billing): Invoice {
  const invoice = draft(change, account, subscription, billing)
  const behavior = subscription.pause_collection?.behavior
  if (behavior === 'keep_as_draft') return invoice
  const applied = balanceApplied(change, account, invoice)
  if (applied.amount_due === 0) {
    issue(change, account, invoice, { daysUntilDue: null })
    return invoice
  }
  const intent = createIntent(change, account, intentOf(account, invoice, applied))
  finalize(change, account, invoice, { payment_intent: intent.id, due_date: null, applied })
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
  return invoice
}
