import type { Change } from '../change.ts'
import { type Discount, type Discounts, discountsIn, reduces } from '../discount.ts'
import { type Invoice, withLines } from '../invoice.ts'
import { type InvoiceLine, isDiscountable } from '../invoice-line.ts'
import type { Prices, Subscription, SubscriptionItem } from '../subscription.ts'
import type { Account } from './account.ts'
import { discountAmounts } from './discount-amounts.ts'

/** The discounts and prices from which the discounts of an invoice are computed. */
export type DiscountContext = {
  readonly discounts: Discounts
  readonly prices: Prices
}

/**
 * Lists the discounts of a subscription's next invoice: its own discounts that are in force, or else the customer's.
 * See docs/contract/discounts.md#inheritance.
 */
export function discountsOfInvoice(
  { discounts: ids, currency }: Pick<Subscription, 'discounts' | 'currency'>,
  customerDiscount: string | null,
  { discounts, at }: { readonly discounts: Discounts; readonly at: number },
): Discount[] {
  if (discounts.size === 0) return []
  const inForce = (discount: Discount) => reduces(discount, { currency, at })
  const own = discountsIn(discounts, ids).filter(inForce)
  if (own.length > 0 || customerDiscount === null) return own
  return discountsIn(discounts, [customerDiscount]).filter(inForce)
}

/** What a draft bills: its lines, and the discounts that reduce those without discounts of their own. */
type DraftContent = Pick<Invoice, 'id' | 'currency' | 'lines' | 'discounts'>

/**
 * Applies the discounts that are in force to the lines of a subscription's new draft.
 * See docs/contract/discounts.md#inheritance.
 */
export function discountLines(
  change: Change,
  account: Pick<Account, 'customer' | 'discounts' | 'prices' | 'now'>,
  subscription: Subscription,
  draft: Omit<DraftContent, 'discounts'>,
): Pick<DraftContent, 'lines' | 'discounts'> {
  const { discounts: all, prices, now: at } = account
  const { discount } = change.latest('customer', account.customer)
  const ofInvoice = discountsOfInvoice(subscription, discount, { discounts: all, at })
  const { id, currency } = draft
  const moment = { currency, at }
  const lines = draft.lines.map((line) =>
    withOwnInForce(withDiscountsOfItem(line, subscription), all, moment),
  )
  const discounts = ofInvoice.map((each) => each.id)
  return { lines: reducedLines({ id, currency, lines, discounts }, { discounts: all, prices }), discounts }
}

/** Gives a line of usage or of a shortened first period the discounts of its item, if the subscription still has the item. */
function withDiscountsOfItem(line: InvoiceLine, { items }: Subscription): InvoiceLine {
  if (line.discounts !== undefined || !line.proration || !isDiscountable(line)) return line
  const item = items.find(({ id }) => id === line.subscription_item)
  return item?.discounts ? { ...line, discounts: item.discounts } : line
}

/** Removes from a new line those of its own discounts that are not in force. */
function withOwnInForce(
  line: InvoiceLine,
  discounts: Discounts,
  moment: { readonly currency: string; readonly at: number },
): InvoiceLine {
  if (line.discounts === undefined) return line
  const { discounts: ids, ...rest } = line
  const inForce = discountsIn(discounts, ids).filter((discount) => reduces(discount, moment))
  return inForce.length === 0 ? rest : { ...rest, discounts: inForce.map(({ id }) => id) }
}

/**
 * Computes the discount amounts of a draft's lines. A discount with the duration `once` that has reduced another
 * invoice takes nothing off.
 * See docs/contract/discounts.md#amounts.
 */
export function withDiscounts(invoice: Invoice, context: DiscountContext): Invoice {
  const lines = reducedLines(invoice, context)
  return lines === invoice.lines ? invoice : withLines(invoice, lines)
}

const NONE: readonly Discount[] = []

/** Returns the lines of a draft with their discount amounts; the same list if it has no discounts. */
function reducedLines(
  { id, lines, discounts: ids }: DraftContent,
  { discounts, prices }: DiscountContext,
): readonly InvoiceLine[] {
  const isReduced = lines.some((line) => line.discounts ?? line.discount_amounts)
  if (ids.length === 0 && !isReduced) return lines
  const isUsable = ({ used_by }: Discount) => used_by === null || used_by === id
  const usable = (of: readonly string[] | undefined) =>
    of === undefined ? NONE : discountsIn(discounts, of).filter(isUsable)
  const amounts = discountAmounts(
    lines.map((line) => ({
      amount: line.amount,
      product: (line.price && prices.get(line.price)?.product) || null,
      own: usable(line.discounts),
      isDiscountable: isDiscountable(line),
    })),
    usable(ids),
  )
  return lines.map((line, place) => {
    const taken = amounts[place] ?? []
    const unreduced = withoutAmounts(line)
    return taken.length === 0 ? unreduced : { ...unreduced, discount_amounts: taken }
  })
}

function withoutAmounts(line: InvoiceLine): InvoiceLine {
  // To leave a field out takes V8 several times as long as to copy an object, so new lines are not copied.
  if (line.discount_amounts === undefined) return line
  const { discount_amounts: _, ...rest } = line
  return rest
}

/**
 * Ends the discounts with the duration `once` that reduce an invoice, and removes them from the customer. The function
 * `withoutEnded` removes them from their subscription.
 */
export function spendDiscounts(
  change: Change,
  account: Pick<Account, 'customer' | 'discounts'>,
  invoice: Invoice,
): void {
  if (![...account.discounts.values()].some(({ terms }) => terms.duration === 'once')) return
  const reducing = new Set(
    invoice.lines.flatMap((line) => line.discount_amounts?.map(({ discount }) => discount) ?? []),
  )
  for (const id of reducing) {
    const discount = account.discounts.get(id)
    if (discount?.terms.duration !== 'once' || discount.used_by !== null || isForOneInvoice(discount))
      continue
    // A draft keeps a discount that was deleted meanwhile.
    const event = change.latest('discount', discount).deleted ? null : 'customer.discount.deleted'
    change.update(
      'discount',
      discount,
      (latest) => ({ ...latest, used_by: invoice.id, deleted: true }),
      event,
    )
    if (account.customer.discount === id)
      change.update('customer', account.customer, (customer) => ({ ...customer, discount: null }))
  }
}

/** Reports whether a discount belongs to one invoice or invoice item. */
const isForOneInvoice = ({ invoice, invoice_item }: Discount): boolean =>
  invoice !== null || invoice_item !== null

/** Removes from a subscription the discounts that have ended in the same change. */
export function withoutEnded(change: Change, subscription: Subscription): Subscription {
  const hasEnded = (id: string) => change.pending('discount', id)?.deleted === true
  return withoutDiscounts(subscription, hasEnded)
}

/** Removes discounts from a subscription and its items. Returns the same object if it has none of them. */
export function withoutDiscounts(
  subscription: Subscription,
  isRemoved: (id: string) => boolean,
): Subscription {
  const { discounts, items } = subscription
  const isOfItem = items.some((item) => item.discounts?.some(isRemoved))
  if (!isOfItem && !discounts.some(isRemoved)) return subscription
  return {
    ...subscription,
    discounts: discounts.filter((id) => !isRemoved(id)),
    items: isOfItem
      ? items.map((item) =>
          withItemDiscounts(
            item,
            item.discounts?.filter((id) => !isRemoved(id)),
          ),
        )
      : items,
  }
}

/** Sets the discounts of an item. The fields keep their order: equal items have the same text. */
export function withItemDiscounts(
  item: SubscriptionItem,
  discounts: readonly string[] = [],
): SubscriptionItem {
  if (discounts.length > 0) return { ...item, discounts }
  const { discounts: _, ...rest } = item
  return rest
}

/** Ends all discounts of a subscription that ends. */
export const endDiscounts = (change: Change, account: Account, subscription: Subscription): void =>
  endThese(change, account, discountIdsOf(subscription))

/** Ends the discounts that a subscription and its items had before a change, and no longer have. */
export function endRemovedDiscounts(
  change: Change,
  account: Account,
  before: Subscription,
  after: Subscription,
): void {
  const kept = new Set(discountIdsOf(after))
  endThese(
    change,
    account,
    discountIdsOf(before).filter((id) => !kept.has(id)),
  )
}

function endThese(change: Change, { discounts }: Account, ids: readonly string[]): void {
  for (const discount of discountsIn(discounts, ids)) {
    if (change.latest('discount', discount).deleted) continue
    change.update(
      'discount',
      discount,
      (latest) => ({ ...latest, deleted: true }),
      'customer.discount.deleted',
    )
  }
}

/** Lists the ids of all discounts of a subscription and its items. */
export const discountIdsOf = ({
  discounts,
  items,
}: Pick<Subscription, 'discounts' | 'items'>): readonly string[] =>
  items.some((item) => item.discounts)
    ? [...discounts, ...items.flatMap((item) => item.discounts ?? [])]
    : discounts
