import { formatDate, type Period } from './calendar.ts'
import { sumOfShares } from './money.ts'
import { fixedUnitAmount, priceAmount } from './price-amount.ts'
import type { Prices } from './subscription.ts'
import { isLicensed, type SubscriptionItem } from './subscription-item.ts'

/** How a change within a period is billed. See docs/contract/proration.md#changing-a-plan. */
export const PRORATION_BEHAVIORS = ['none', 'create_prorations', 'always_invoice'] as const
export type ProrationBehavior = (typeof PRORATION_BEHAVIORS)[number]

/**
 * An invoice line that billed a subscription item for a period of time, with its amount after discounts. A credit has a
 * negative amount.
 */
export type BilledLine = Period & { readonly subscription_item: string; readonly amount: number }

/** The lines that billed each item, by item. */
export type BilledItems = ReadonlyMap<string, readonly BilledLine[]>

/** Groups billed lines by item, once for each change: a period can have very many. */
export function billedItems(lines: Iterable<BilledLine>): BilledItems {
  const items = new Map<string, BilledLine[]>()
  for (const line of lines) {
    const ofItem = items.get(line.subscription_item)
    if (ofItem) ofItem.push(line)
    else items.set(line.subscription_item, [line])
  }
  return items
}

/** A line for a change of an item within a period: a credit for unused time, or a charge for the remaining time. */
export type Proration = {
  readonly subscription_item: string
  readonly price: string
  readonly quantity: number
  /** The whole quantity of usage that is not whole. */
  readonly quantity_decimal?: string
  /** null if the units do not have one whole amount. */
  readonly unit_amount: number | null
  /** Negative for a credit. */
  readonly amount: number
  readonly period: Period
  readonly description: string
  /** Set for the usage of an item up to the change. */
  readonly is_usage?: true
}

/** A change of items at an instant within the current period. */
export type ItemsChange = {
  readonly before: readonly SubscriptionItem[]
  readonly after: readonly SubscriptionItem[]
  /** The current period, in which the change happens. */
  readonly period: Period
  /** When the change takes effect, in Unix seconds within the period. */
  readonly at: number
  /** The prices of the items before and after. */
  readonly prices: Prices
  /** The display name of each price, by id. */
  readonly names: ReadonlyMap<string, string>
  /** The lines that billed the items in this period. */
  readonly billed: BilledItems
  /** The discount amounts of each item for a whole period, by item; absent for none. */
  readonly discounts?: ReadonlyMap<string, number>
}

/**
 * Returns the unused part of the billed amount of an item: the credit for a change or a cancellation. It is never negative, and
 * never exceeds the billed amount.
 * @param billed - the lines that billed the item
 * See docs/contract/proration.md#credits.
 */
export function unusedAmount(billed: readonly BilledLine[], at: number): number {
  const lines = billed.filter(({ end }) => end > at)
  const unused = sumOfShares(
    lines.map(({ amount, start, end }) => ({
      amount,
      part: end - Math.max(at, start),
      whole: end - start,
    })),
  )
  const total = lines.reduce((sum, { amount }) => sum + amount, 0)
  return Math.max(0, Math.min(unused, total))
}

/**
 * Returns the lines of a change: for each item that was added, removed or changed in price or quantity, a credit for its unused
 * time and a charge for the remaining time. Lines with the amount 0 are left out. A metered item is not charged, but gets a
 * credit for amounts that were billed before its price became metered.
 * See docs/contract/proration.md#lines.
 */
export function prorations(change: ItemsChange): Proration[] {
  const { before, after } = change
  const kept = new Map(after.map((item) => [item.id, item]))
  const had = new Set(before.map(({ id }) => id))
  const ofOld = before.flatMap((item) => {
    const now = kept.get(item.id)
    if (isUnchanged(item, after)) return []
    return [...credit(change, item), ...(now ? charge(change, now) : [])]
  })
  return [...ofOld, ...after.filter(({ id }) => !had.has(id)).flatMap((item) => charge(change, item))]
}

/** Reports whether an item is among others with the same price and quantity: a change does not prorate it. */
export const isUnchanged = (item: SubscriptionItem, others: readonly SubscriptionItem[]): boolean =>
  others.some(
    ({ id, price, quantity }) => id === item.id && price === item.price && quantity === item.quantity,
  )

/** Returns the credits for the unused time of all items, as when the period ends early. */
export const creditsForAll = (change: Omit<ItemsChange, 'after'>): Proration[] =>
  change.before.flatMap((item) => credit({ ...change, after: [] }, item))

function credit(change: ItemsChange, item: SubscriptionItem): Proration[] {
  const amount = unusedAmount(change.billed.get(item.id) ?? [], change.at)
  if (amount === 0) return []
  return [{ ...lineOf('Unused', item, change), amount: -amount }]
}

function charge(change: ItemsChange, item: SubscriptionItem): Proration[] {
  if (!isLicensed(item)) return []
  const { period, at, prices } = change
  const price = prices.get(item.price)
  const share = { part: period.end - at, whole: period.end - period.start }
  const off = change.discounts?.get(item.id) ?? 0
  // A discount of all takes off the rounded amount, which may be more than the exact one.
  const amount = price ? Math.max(0, priceAmount(price, item.quantity, share, off)) : 0
  return amount === 0 ? [] : [{ ...lineOf('Remaining', item, change), amount }]
}

function lineOf(
  kind: 'Unused' | 'Remaining',
  item: SubscriptionItem,
  { period, at, prices, names }: ItemsChange,
): Omit<Proration, 'amount'> {
  const { id, price } = item
  const name = names.get(price) ?? price
  const pricing = prices.get(price)
  const quantity = item.quantity ?? 1
  return {
    subscription_item: id,
    price,
    quantity,
    unit_amount: isLicensed(item) ? (pricing ? fixedUnitAmount(pricing) : 0) : null,
    period: { start: at, end: period.end },
    description: `${kind} time on ${quantity === 1 ? name : `${quantity} × ${name}`} after ${formatDate(at)}`,
  }
}
