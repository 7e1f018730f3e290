import { type AmountsOff, amountsOff, withoutItems } from '../amounts-off.ts'
import { type Discount, type Discounts, discountsIn, reduces } from '../discount.ts'
import type { Invoice } from '../invoice.ts'
import { sumOf } from '../money.ts'
import { priceAmount } from '../price-amount.ts'
import { isUnchanged } from '../proration.ts'
import type { Subscription } from '../subscription.ts'
import { isLicensed } from '../subscription-item.ts'
import type { Account } from './account.ts'
import { type DiscountAmount, discountAmounts } from './discount-amounts.ts'
import { discountsOfInvoice } from './discounting.ts'

/** What discounts take off the items of a subscription when a change bills some of them. */
export type DiscountsOfChange = {
  /** What discounts take off each billed item in a whole period, by item, in the smallest currency unit. */
  readonly ofItems: ReadonlyMap<string, number>
  /** What discounts of a fixed amount take off all items from then on. */
  readonly amounts_off: AmountsOff
}

/**
 * Returns what discounts take off the items that a change bills. Items that stay the same are not billed again and keep their
 * parts of a fixed amount; what is left of it is for the others. Discounts with the duration `once` are left out, because they
 * apply only to lines that are no prorations.
 * See docs/contract/discounts.md#prorations.
 */
export function discountsOfChange(
  { customer, discounts, prices, now: at }: Pick<Account, 'customer' | 'discounts' | 'prices' | 'now'>,
  { before, after }: { readonly before: Subscription; readonly after: Subscription },
): DiscountsOfChange {
  if (discounts.size === 0) return { ofItems: new Map(), amounts_off: null }
  const { currency } = after
  const credited = before.items.filter((item) => !isUnchanged(item, after.items)).map(({ id }) => id)
  const kept = withoutItems(before.amounts_off, (id) => credited.includes(id))
  const lasting = new Map([...discounts].filter(([, { terms }]) => terms.duration !== 'once'))
  const billed = after.items.filter((item) => !isUnchanged(item, before.items))
  const amounts = discountAmounts(
    billed.map((item) => {
      const price = prices.get(item.price)
      return {
        amount: price && isLicensed(item) ? priceAmount(price, item.quantity) : 0,
        product: price?.product ?? null,
        own: discountsIn(lasting, item.discounts).filter((discount) => reduces(discount, { currency, at })),
        isDiscountable: true,
      }
    }),
    leftOf(discountsOfInvoice(after, customer.discount, { discounts: lasting, at }), kept),
  )
  const taken = billed.map(({ id }, place) => [id, amounts[place] ?? []] as const)
  return {
    ofItems: new Map(taken.map(([id, each]) => [id, sumOf(each)])),
    amounts_off: amountsOff([
      ...Object.entries(kept ?? {}),
      ...taken.map(([id, each]) => [id, fixedOf(each, discounts)] as const),
    ]),
  }
}

/** Reduces discounts of a fixed amount by what they take off items that are not billed again. */
function leftOf(discounts: readonly Discount[], kept: AmountsOff): Discount[] {
  const used = new Map<string, number>()
  for (const { discount, amount } of Object.values(kept ?? {}).flat())
    used.set(discount, (used.get(discount) ?? 0) + amount)
  return discounts.map((discount) => {
    const { amount_off } = discount.terms
    if (amount_off === null) return discount
    const left = Math.max(0, amount_off - (used.get(discount.id) ?? 0))
    return { ...discount, terms: { ...discount.terms, amount_off: left } }
  })
}

/** Sets what discounts of a fixed amount take off the items in the period that an invoice bills. */
export function withAmountsOff(
  subscription: Subscription,
  { lines }: Pick<Invoice, 'lines'>,
  discounts: Discounts,
): Subscription {
  if (discounts.size === 0 && subscription.amounts_off === null) return subscription
  const billed = lines.flatMap(({ subscription_item: item, proration, discount_amounts = [] }) => {
    // Usage and lines for earlier periods, such as after a start in the past, bill nothing of this one.
    const isOfPeriod =
      !proration || (!proration.is_usage && proration.cycle === subscription.current_period_start)
    return item !== null && isOfPeriod ? [[item, fixedOf(discount_amounts, discounts)] as const] : []
  })
  return { ...subscription, amounts_off: amountsOff(billed) }
}

/** Returns the amounts of discounts that have a fixed amount for several items and last for more than one invoice. */
const fixedOf = (amounts: readonly DiscountAmount[], discounts: Discounts): DiscountAmount[] =>
  amounts.filter(({ discount: id }) => {
    const discount = discounts.get(id)
    return (
      discount !== undefined &&
      discount.subscription_item === null &&
      discount.terms.amount_off !== null &&
      discount.terms.duration !== 'once'
    )
  })
