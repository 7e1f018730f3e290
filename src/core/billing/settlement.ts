import type { Change } from '../change.ts'
import { type BilledLine, creditsForAll } from '../proration.ts'
import { type CancellationReason, pricedPeriod, type Subscription, withInvoice } from '../subscription.ts'
import { factsOf } from '../subscription-status.ts'
import { type Account, type EndingAccount, updateDelinquency, withAllPendingItems } from './account.ts'
import { type Billing, billPeriod, draft } from './bill.ts'
import { cancel } from './cancel.ts'
import { createItem } from './change-plan.ts'
import type { Collected } from './collect.ts'
import { discardPendingUpdate } from './pending-update.ts'

/** How a cancellation now settles what was billed and what is pending. */
export type Settlement = {
  /** Whether to credit the unused time. */
  readonly prorate: boolean
  /** Whether to bill the pending items at once; otherwise the customer's next manual invoice bills them. */
  readonly invoiceNow: boolean
  readonly billed: readonly BilledLine[]
  readonly names: ReadonlyMap<string, string>
}

/**
 * Cancels a subscription now and settles its period.
 * @returns the result of the final invoice; null without one
 * @throws ApiError invalid_state_transition, param status, when it has already ended
 * See docs/contract/proration.md#canceling.
 */
export function cancelNow(
  change: Change,
  given: EndingAccount,
  running: Subscription,
  { prorate, invoiceNow, billed, names }: Settlement,
): Collected | null {
  const { account, subscription } = discardPendingUpdate(change, given, running)
  const { now, prices } = account
  const period = pricedPeriod(subscription, prices)
  const credits = prorate
    ? creditsForAll({ before: subscription.items, period, at: now, prices, names, billed })
    : []
  const created = credits.map((line) => createItem(change, account, subscription, line))
  const all = withAllPendingItems(account)
  const settled = { ...all, pendingItems: [...all.pendingItems, ...created] }
  const collected = invoiceNow ? billRest(change, settled, subscription) : null
  cancel(change, withEnding(settled, collected), subscription, 'cancellation_requested', now)
  return collected
}

/** Ends a subscription at its planned instant, and bills what still waits for it. */
export function cancelAsPlanned(
  change: Change,
  given: EndingAccount,
  running: Subscription,
  reason: CancellationReason,
): void {
  const { account, subscription } = discardPendingUpdate(change, given, running)
  const settled = withAllPendingItems(account)
  const collected = billRest(change, settled, subscription)
  cancel(change, withEnding(settled, collected), subscription, reason)
}

/** Adds the final invoice to those that lose their retries. */
const withEnding = (account: EndingAccount, collected: Collected | null): EndingAccount =>
  collected ? { ...account, endingInvoices: [...account.endingInvoices, collected.invoice] } : account

/**
 * Bills the items that still wait for a subscription that ends.
 * @returns null when there are none
 */
function billRest(change: Change, account: Account, subscription: Subscription): Collected | null {
  if (account.pendingItems.length === 0) return null
  const billing: Billing = {
    period: { start: subscription.current_period_start, end: account.now },
    reason: 'subscription_update',
    items: [],
  }
  if (!factsOf(subscription).collectsRenewals) {
    draft(change, account, subscription, billing)
    return null
  }
  const collected = billPeriod(change, account, subscription, billing)
  if (!collected) return null
  change.update('subscription', subscription, (latest) => withInvoice(latest, collected))
  updateDelinquency(change, account)
  return collected
}
