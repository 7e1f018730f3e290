import type { Period } from '../calendar.ts'
import { sumOfShares } from '../money.ts'
import { type BilledItems, isUnchanged, type Proration } from '../proration.ts'
import type { Subscription, SubscriptionItem } from '../subscription.ts'
import type { Account } from './account.ts'
import { dividedAmount } from './discount-amounts.ts'
import { discountsOfInvoice, periodDiscounts } from './discounting.ts'

/** A change of items within a period, and the lines that billed them in it. */
export type DiscountedChange = {
  readonly before: readonly SubscriptionItem[]
  /** The current period. */
  readonly period: Period
  /** The span for which full prices count, which is longer than a shortened period. */
  readonly pricedPeriod: Period
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
  const taken = kept.reduce((sum, item) => sum + takenOff(item, change), 0)
  const billedAgain = after.items.filter((item) => !kept.includes(item))
  const wanted = sumOf(billedAgain)
  const left = Math.max(0, sumOf(after.items) - taken)
  if (wanted <= left) return whole
  const parts = dividedAmount(left, billedAgain.map(offOf))
  return new Map(billedAgain.map(({ id }, place) => [id, parts[place] ?? 0]))
}

/**
 * Records with each item that a change bills how much more discounts take off it, for later changes in the period: on its last
 * line, so that a change whose invoice is voided counts no longer.
 * @param discounts - the discount amounts of each item for a whole period
 */
export function withOffs(
  lines: readonly Proration[],
  discounts: ReadonlyMap<string, number>,
  change: DiscountedChange,
): Proration[] {
  const last = new Map(lines.map((line) => [line.subscription_item, line]))
  const [part, whole] = [secondsOf(change.period), secondsOf(change.pricedPeriod)]
  return lines.map((line) => {
    const { subscription_item: item } = line
    if (last.get(item) !== line) return line
    const off = sumOfShares([{ amount: discounts.get(item) ?? 0, part, whole }]) - billedOff(item, change)
    return off === 0 ? line : { ...line, off }
  })
}

/**
 * Returns what discounts took off an item in the current period, scaled to a whole one. What was billed can differ from the
 * present price and quantity, which a change with `none` sets.
 */
function takenOff({ id }: SubscriptionItem, change: DiscountedChange): number {
  const [part, whole] = [secondsOf(change.pricedPeriod), secondsOf(change.period)]
  return sumOfShares([{ amount: billedOff(id, change), part, whole }])
}

/** Returns what discounts took off an item in the current period. Sums of older databases lack it, and could become negative. */
const billedOff = (item: string, { billed }: DiscountedChange): number =>
  Math.max(
    0,
    (billed.get(item) ?? []).reduce((sum, { off }) => sum + off, 0),
  )

const secondsOf = ({ start, end }: Period): number => end - start
