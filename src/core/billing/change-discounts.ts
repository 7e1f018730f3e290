import type { Period } from '../calendar.ts'
import { sumOfShares } from '../money.ts'
import { priceAmount } from '../price-amount.ts'
import { type BilledItems, isUnchanged } from '../proration.ts'
import type { Subscription, SubscriptionItem } from '../subscription.ts'
import { isLicensed } from '../subscription-item.ts'
import type { Account } from './account.ts'
import { dividedAmount } from './discount-amounts.ts'
import { discountsOfInvoice, periodDiscounts } from './discounting.ts'

/** A change of items within a period, and the lines that billed them in it. */
export type DiscountedChange = {
  readonly before: readonly SubscriptionItem[]
  readonly period: Period
  readonly at: number
  readonly billed: BilledItems
}

/**
 * Returns the discount amounts of each item that a change bills, for a whole period. Unchanged items are not billed again.
 * Their share of a fixed discount stays used, so that all items together never exceed it.
 * See docs/contract/discounts.md#prorations.
 */
export function discountsOfChange(
  account: Pick<Account, 'customer' | 'discounts' | 'prices' | 'now'>,
  after: Subscription,
  change: DiscountedChange,
): ReadonlyMap<string, number> {
  const whole = periodDiscounts(account, after)
  const shared = discountsOfInvoice(after, account.customer.discount, {
    discounts: account.discounts,
    at: account.now,
  })
  // A percentage of one item does not depend on the others.
  if (!shared.some(({ terms }) => terms.amount_off !== null && terms.duration !== 'once')) return whole
  const kept = after.items.filter((item) => isUnchanged(item, change.before))
  if (kept.length === 0) return whole
  const offOf = ({ id }: SubscriptionItem): number => whole.get(id) ?? 0
  const sumOf = (items: readonly SubscriptionItem[]) => items.reduce((sum, item) => sum + offOf(item), 0)
  const taken = kept.reduce((sum, item) => sum + takenOff(account, item, change), 0)
  const billedAgain = after.items.filter((item) => !kept.includes(item))
  const wanted = sumOf(billedAgain)
  const left = Math.max(0, sumOf(after.items) - taken)
  if (wanted <= left) return whole
  const parts = dividedAmount(left, billedAgain.map(offOf))
  return new Map(billedAgain.map(({ id }, place) => [id, parts[place] ?? 0]))
}

/** Returns the amount that a discount took off an item for its remaining time, scaled to a whole period. */
function takenOff(
  { prices }: Pick<Account, 'prices'>,
  item: SubscriptionItem,
  { billed, period, at }: DiscountedChange,
): number {
  const price = prices.get(item.price)
  const lines = (billed.get(item.id) ?? []).filter(({ end }) => end > at)
  if (!price || !isLicensed(item) || lines.length === 0) return 0
  const whole = period.end - period.start
  const paid = sumOfShares(
    lines.map(({ amount, start, end }) => ({ amount, part: whole, whole: end - start })),
  )
  return Math.max(0, priceAmount(price, item.quantity) - paid)
}
