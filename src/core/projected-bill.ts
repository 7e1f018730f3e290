import { type DiscountAmount, discountAmounts, type Reducible } from './billing/discount-amounts.ts'
import { discountsOfInvoice } from './billing/discounting.ts'
import { type Discount, discountsIn, reduces } from './discount.ts'
import type { InvoiceItem } from './invoice-item.ts'
import type { InvoiceLine } from './invoice-line.ts'
import { sumOf } from './money.ts'
import type { Billed, Projected } from './phase-projection.ts'
import { priceAmount, usageAmount } from './price-amount.ts'
import type { Prices } from './subscription.ts'
import { isMetered, type SubscriptionItem } from './subscription-item.ts'

/** The input for a projected invoice. */
export type ProjectedBilling = {
  /** The invoice items that wait for it. */
  readonly pending: readonly InvoiceItem[]
  /** The usage of the period that ends, as lines; null if no usage is billed. */
  readonly usage: readonly Pick<InvoiceLine, 'amount' | 'price' | 'subscription_item'>[] | null
  /** The items that are billed for a period. */
  readonly items: readonly SubscriptionItem[]
  /** When it is billed, in Unix seconds. */
  readonly at: number
}

/** The amounts of a projected invoice after discounts, in the smallest unit of the currency. */
export type ProjectedBill<Projection extends Billed> = {
  readonly amount: number
  /** The part of the amount that bills usage; null if none is billed. */
  readonly usageAmount: number | null
  /** The projection after the invoice, without the discounts with the duration `once` that it used. */
  readonly after: Projected<Projection>
}

/**
 * Projects an invoice of a subscription: the sum of its lines, less the discounts that will be in force.
 * @param given.customerDiscount - the discount of the customer; null for none
 * See docs/contract/discounts.md#previews.
 */
export function projectedBill<Projection extends Billed>(
  projected: Projected<Projection>,
  { pending, usage, items, at }: ProjectedBilling,
  { prices, customerDiscount }: { readonly prices: Prices; readonly customerDiscount: string | null },
): ProjectedBill<Projection> {
  const { subscription, discounts } = projected
  const moment = { currency: subscription.currency, at }
  const line = (
    amount: number,
    price: string | null,
    ids: readonly string[] | undefined,
    isDiscountable = true,
  ): Reducible => ({
    amount,
    product: (price !== null && prices.get(price)?.product) || null,
    own: discountsIn(discounts, ids).filter((discount) => reduces(discount, moment)),
    isDiscountable,
  })
  const discountsOf = (id: string | null) => subscription.items.find((item) => item.id === id)?.discounts
  const ofUsage = (usage ?? []).map(({ amount, price, subscription_item }) =>
    line(amount, price, discountsOf(subscription_item)),
  )
  const lines = [
    ...ofUsage,
    ...pending.map((item) => line(item.amount, item.price, item.discounts, item.discountable)),
    ...items
      .filter((item) => !isMetered(item))
      .map((item) => line(amountOf(item, prices), item.price, item.discounts)),
  ]
  const ofInvoice = discountsOfInvoice(subscription, customerDiscount, { discounts, at })
  const taken = discountAmounts(lines, ofInvoice)
  const net = (of: readonly Reducible[]) =>
    sumOf(of) - of.reduce((sum, _, place) => sum + sumOf(taken[place] ?? []), 0)
  return {
    amount: net(lines),
    usageAmount: usage === null ? null : net(ofUsage),
    after: { ...projected, discounts: withoutUsed(discounts, taken.flat()) },
  }
}

function amountOf({ price: id, quantity }: SubscriptionItem, prices: Prices): number {
  const price = prices.get(id)
  return price ? priceAmount(price, quantity ?? 0) : 0
}

/** Removes discounts with the duration `once` that have reduced an invoice. */
function withoutUsed(
  discounts: ReadonlyMap<string, Discount>,
  taken: readonly DiscountAmount[],
): ReadonlyMap<string, Discount> {
  const used = new Set(taken.map(({ discount }) => discount))
  const isLeft = ([id, { terms }]: [string, Discount]) => terms.duration !== 'once' || !used.has(id)
  return used.size === 0 ? discounts : new Map([...discounts].filter(isLeft))
}

/** Returns the lines of a period without usage, which can bill a flat amount; null without metered items. */
export function linesWithoutUsage(
  items: readonly SubscriptionItem[],
  prices: Prices,
): ProjectedBilling['usage'] {
  const metered = items.filter(isMetered)
  if (metered.length === 0) return null
  return metered.map(({ id, price: priceId }) => {
    const price = prices.get(priceId)
    return { amount: price ? usageAmount(price, 0n) : 0, price: priceId, subscription_item: id }
  })
}
