import { MAX_AMOUNT, subtotalOf } from './model-amounts.ts'
import { bill } from './model-billing.ts'
import type { Operation } from './model-events.ts'
import type { Outcome } from './model-payment.ts'
import { enterFirstPeriod } from './model-periods.ts'
import { billUsage, creditItems, linesOfPlan, prorate, waitingFor } from './model-plan.ts'
import type { Item, Merchant, Subscription } from './model-state.ts'
import { countedFrom, keptOf } from './model-usage.ts'

export type Behavior = 'none' | 'create_prorations' | 'always_invoice'

/** Whether the current period of a subscription is billed, and can be prorated. */
export const isBilled = ({ status }: Subscription): boolean =>
  status === 'active' || status === 'past_due' || status === 'unpaid'

/**
 * Changes the items of a subscription, and bills what differs.
 * See docs/contract/proration.md#changing-a-plan.
 * @param change - `from` is the instant from which the new items count
 */
export function changeItems(
  operation: Operation,
  subscription: Subscription,
  change: { items: readonly Item[]; from: number; behavior: Behavior; isNewPeriod: boolean },
): Outcome | 'not tried' {
  const { merchant, at } = operation
  const { from, behavior, isNewPeriod } = change
  const { items: old, start, end: wasEnd } = subscription
  const isProrated = isBilled(subscription) && behavior !== 'none'
  const usageEnd = Math.min(from, at)
  const items = countedFrom(old, change.items, usageEnd)
  if (isProrated) billUsage(merchant, subscription, { before: old, after: items, end: usageEnd })
  if (isNewPeriod) {
    if (isProrated) creditItems(merchant, subscription, old, from)
    const ended = { items: keptOf(old, items), start, end: at }
    subscription.items = items
    subscription.anchor = at
    enterFirstPeriod(operation, subscription)
    if (subscription.cancelAtPeriodEnd && subscription.cancelAt === wasEnd)
      subscription.cancelAt = subscription.end
    return bill(operation, subscription, { reason: 'subscription_update', ended })
  }
  subscription.items = items
  if (!isProrated) return 'not tried'
  prorate(merchant, subscription, { before: old, from, at })
  if (behavior !== 'always_invoice' || waitingFor(merchant, subscription).length === 0) return 'not tried'
  const part = { start: from, end: subscription.end }
  return bill(operation, subscription, { reason: 'subscription_update', part })
}

/** Whether the invoice of the current period can leave a proration waiting because its amount would be too large. */
export const isOverfull = (merchant: Merchant, subscription: Subscription): boolean =>
  subtotalOf(linesOfPlan(merchant, subscription)) > MAX_AMOUNT / 2 ||
  waitingFor(merchant, subscription).some(({ amount }) => amount > MAX_AMOUNT / 2)
