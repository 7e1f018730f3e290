import type { Change } from '../change.ts'
import { itemsOfOneInvoice } from '../invoice-item.ts'
import { type BilledItems, creditsForAll } from '../proration.ts'
import { type CancellationReason, type Subscription, withInvoice } from '../subscription.ts'
import { pricedPeriod } from '../subscription-period.ts'
import { factsOf } from '../subscription-status.ts'
import type { Account, EndingAccount } from './account.ts'
import { type Billed, type Billing, billPeriod, draft } from './bill.ts'
import { cancel } from './cancel.ts'
import { createItem } from './change-plan.ts'
import type { Collected } from './collect.ts'
import { discardPendingUpdate } from './pending-update.ts'
import { endedAt, hasUsage } from './usage.ts'

/** How an immediate cancellation settles billed time, pending items and usage. */
export type Settlement = {
  /** Whether to credit the unused time. */
  readonly prorate: boolean
  /**
   * Whether to bill the pending items and the usage at once. Otherwise the customer's next manual invoice bills the items, and
   * the usage is not billed.
   */
  readonly invoiceNow: boolean
  readonly billed: BilledItems
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
  const settled = { ...account, pendingItems: [...account.pendingItems, ...created] }
  // Usage of the current second counts too, because no other period follows.
  const collected = invoiceNow ? billRest(change, settled, subscription, now + 1) : null
  cancel(change, withEnding(account, collected), subscription, 'cancellation_requested', now)
  return collected
}

/**
 * Ends a subscription at its planned instant, and bills its pending items and usage.
 * @returns the result of the final invoice; null if none was collected
 */
export function cancelAsPlanned(
  change: Change,
  given: EndingAccount,
  running: Subscription,
  reason: CancellationReason,
): Collected | null {
  const { account, subscription } = discardPendingUpdate(change, given, running)
  const collected = billRest(change, account, subscription, account.now)
  cancel(change, withEnding(account, collected), subscription, reason)
  return collected
}

/** Adds the final invoice to the invoices that are voided, or whose planned attempts are removed. */
const withEnding = (account: EndingAccount, collected: Collected | null): EndingAccount =>
  collected
    ? {
        ...account,
        unpaidInvoices: () => [...account.unpaidInvoices(), collected.invoice],
        invoicePlans: () => [...account.invoicePlans(), collected.invoice],
      }
    : account

/**
 * Bills the items that still wait for a subscription that ends, up to the limits of an invoice, and the usage of its last
 * period. The usage of a trial is free.
 * @param usageEnd - the end of the billed usage, exclusive, in Unix seconds
 * @returns null when there are none
 */
function billRest(
  change: Change,
  given: Account,
  subscription: Subscription,
  usageEnd: number,
): Collected | null {
  const account = { ...given, pendingItems: itemsOfOneInvoice(given.pendingItems) }
  const ended = factsOf(subscription).isBilled ? endedAt(subscription, usageEnd) : undefined
  const bills = account.pendingItems.length > 0 || (ended && hasUsage(account, ended))
  if (!bills) return null
  const billing: Billing = {
    period: { start: subscription.current_period_start, end: account.now },
    reason: 'subscription_update',
    items: [],
    ...(ended && { ended }),
  }
  if (!factsOf(subscription).collectsRenewals) {
    const invoice = draft(change, account, subscription, billing)
    name(change, account, subscription, { result: 'uncollected', invoice })
    return null
  }
  const billed = billPeriod(change, account, subscription, billing)
  name(change, account, subscription, billed)
  return billed.result === 'uncollected' ? null : billed
}

/** Sets the newest invoice of a subscription, without an event: the event of its end follows. */
const name = (change: Change, { rules }: Account, subscription: Subscription, billed: Billed): void =>
  void change.update('subscription', subscription, (latest) => withInvoice(latest, billed, rules))
