import { type AmountsOff, amountsOff, type PartOfItem, partsOff } from '../amounts-off.ts'
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
  /** What coupons of a fixed amount take off in the period from then on. */
  readonly amounts_off: AmountsOff
}

/**
 * Returns what discounts take off the items that a change bills. Items that stay the same are not billed again and keep their
 * parts of a fixed amount; what is left of it is for those. Discounts with the duration `once` are left out, because they
 * apply only to lines that are no prorations.
 * See docs/contract/discounts.md#prorations.
 */
export function discountsOfChange(
  { customer, discounts, prices, now: at }: Pick<Account, 'customer' | 'discounts' | 'prices' | 'now'>,
  { before, after }: { readonly before: Subscription; readonly after: Subscription },
): DiscountsOfChange {
  if (discounts.size === 0) return { ofItems: new Map(), amounts_off: null }
  const { currency } = after
  const shared = customer.discount === null ? after.discounts : [...after.discounts, customer.discount]
  const kept = keptParts(before, after, { discounts, shared })
  const keptOf = (owner?: string) => kept.filter((part) => part.owner === owner)
  const lasting = new Map([...discounts].filter(([, { terms }]) => terms.duration !== 'once'))
  const billed = after.items.filter((item) => !isUnchanged(item, before.items))
  const amounts = discountAmounts(
    billed.map((item) => {
      const price = prices.get(item.price)
      return {
        amount: price && isLicensed(item) ? priceAmount(price, item.quantity) : 0,
        product: price?.product ?? null,
        own: leftOf(
          discountsIn(lasting, item.discounts).filter((discount) => reduces(discount, { currency, at })),
          keptOf(item.id),
        ),
        isDiscountable: true,
      }
    }),
    leftOf(discountsOfInvoice(after, customer.discount, { discounts: lasting, at }), keptOf()),
  )
  const taken = billed.map(({ id }, place) => ({ id, amounts: amounts[place] ?? [] }))
  return {
    ofItems: new Map(taken.map(({ id, amounts: ofItem }) => [id, sumOf(ofItem)])),
    amounts_off: amountsOff([
      ...kept,
      ...taken.flatMap(({ id, amounts: ofItem }) => partsOf(id, ofItem, discounts)),
    ]),
  }
}

/**
 * Returns the parts that a change leaves: those of items that it does not credit, and of coupons that the subscription, its customer or
 * their item still has. So they do not grow with the number of changes.
 */
function keptParts(
  before: Subscription,
  after: Subscription,
  { discounts, shared }: { readonly discounts: Discounts; readonly shared: readonly string[] },
): PartOfItem[] {
  const credited = before.items.filter((item) => !isUnchanged(item, after.items)).map(({ id }) => id)
  const present = new Set(after.items.map(({ id }) => id))
  const couponsOf = (ids: readonly string[] = []) =>
    new Set(discountsIn(discounts, ids).map(({ coupon }) => coupon))
  const coupons = new Map<string | undefined, ReadonlySet<string>>([[undefined, couponsOf(shared)]])
  for (const { id, discounts: own } of after.items) coupons.set(id, couponsOf(own))
  return partsOff(before.amounts_off)
    .filter(
      ({ item, coupon, owner }) =>
        coupons.get(owner)?.has(coupon) && (item === null || !credited.includes(item)),
    )
    .map((part) => (part.item !== null && present.has(part.item) ? part : { ...part, item: null }))
}

/** Reduces discounts of a fixed amount by what their coupons take off what is not billed again. */
function leftOf(discounts: readonly Discount[], kept: readonly PartOfItem[]): Discount[] {
  const used = new Map<string, number>()
  for (const { coupon, amount } of kept) used.set(coupon, (used.get(coupon) ?? 0) + amount)
  return discounts.map((discount) => {
    const { coupon, terms } = discount
    if (terms.amount_off === null) return discount
    const taken = Math.min(terms.amount_off, used.get(coupon) ?? 0)
    used.set(coupon, (used.get(coupon) ?? 0) - taken)
    return { ...discount, terms: { ...terms, amount_off: terms.amount_off - taken } }
  })
}

/** Sets what coupons of a fixed amount take off in the period that an invoice bills. */
export function withAmountsOff(
  subscription: Subscription,
  { lines }: Pick<Invoice, 'lines'>,
  discounts: Discounts,
): Subscription {
  if (discounts.size === 0 && subscription.amounts_off === null) return subscription
  const parts = lines.flatMap(({ subscription_item, proration, discount_amounts = [] }) => {
    // Usage and lines for earlier periods, such as after a start in the past, bill nothing of this one.
    const isOfPeriod =
      !proration || (!proration.is_usage && proration.cycle === subscription.current_period_start)
    return partsOf(isOfPeriod ? subscription_item : null, discount_amounts, discounts)
  })
  return { ...subscription, amounts_off: amountsOff(parts) }
}

/** Lists the amounts of those discounts that have a fixed amount, and are of the subscription, its customer or one of its items. */
const partsOf = (
  item: string | null,
  amounts: readonly DiscountAmount[],
  discounts: Discounts,
): PartOfItem[] =>
  amounts.flatMap(({ discount: id, amount }) => {
    const discount = discounts.get(id)
    if (!discount || discount.terms.amount_off === null || discount.terms.duration === 'once') return []
    const { coupon, subscription_item: owner, invoice, invoice_item } = discount
    if ((invoice ?? invoice_item) !== null) return []
    return [owner === null ? { item, coupon, amount } : { item, coupon, amount, owner }]
  })
