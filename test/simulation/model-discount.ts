import { fullOf } from './model-amounts.ts'
import type { Operation } from './model-events.ts'
import type { Customer, Invoice, Item, Line, Merchant, Price, Subscription } from './model-state.ts'
import { named } from './model-state.ts'

/** What a coupon takes off. A discount keeps it when the coupon is deleted. */
export type Terms = {
  /** Hundredths of a percent; null for an amount. */
  readonly percent: number | null
  readonly amount: number | null
  readonly currency: string | null
  readonly months: number | null
  readonly duration: 'once' | 'repeating' | 'forever'
  readonly products: readonly string[] | null
}

export type Coupon = Terms & {
  readonly key: string
  readonly max: number | null
  readonly redeemBy: number | null
  redeemed: number
  valid: boolean
  isDeleted: boolean
}

export type Code = {
  readonly key: string
  readonly coupon: string
  readonly customer: string | null
  readonly expiresAt: number | null
  readonly max: number | null
  readonly least: number | null
  readonly isFirst: boolean
  redeemed: number
  active: boolean
}

/** The object that has a discount; none of them for a customer's. */
export type Holder = {
  readonly subscription?: string
  readonly item?: string
  readonly invoice?: string
  readonly invoiceItem?: string
}

export type Discount = {
  readonly key: string
  readonly customer: string
  readonly coupon: string
  readonly code: string | null
  readonly terms: Terms
  readonly holder: Holder
  readonly start: number
  readonly end: number | null
  usedBy: string | null
  isOver: boolean
}

/** What a discount takes off a line. */
export type Off = { readonly discount: string; readonly amount: number }

/** What a coupon of an amount takes off an item, or something else, in a period. */
export type AmountOff = { readonly item: string | null; readonly coupon: string; readonly amount: number }

/** Returns a quotient of numbers that are not negative, rounded half up. */
const quotient = (numerator: bigint, denominator: bigint): number =>
  Number((2n * numerator + denominator) / (2n * denominator))

/** See docs/contract/discounts.md#inheritance. */
const isInForce = ({ isOver, start, end, terms }: Discount, at: number): boolean =>
  !isOver && start <= at && (end === null || at < end) && (terms.currency ?? 'usd') === 'usd'

const inForce = ({ discounts }: Merchant, keys: readonly string[], at: number): Discount[] =>
  keys.map((key) => named(discounts, key)).filter((discount) => isInForce(discount, at))

/** Returns the discounts of the first level that has any. */
const firstOf = (...levels: readonly (readonly Discount[])[]): readonly Discount[] =>
  levels.find((level) => level.length > 0) ?? []

const ofCustomer = (merchant: Merchant, customer: string, at: number): Discount[] => {
  const { discount } = named<Customer>(merchant.customers, customer)
  return inForce(merchant, discount === null ? [] : [discount], at)
}

/** Gives a new draft and its lines the discounts that are in force. */
export function inherit(
  merchant: Merchant,
  invoice: Invoice,
  { subscription, at }: { subscription: Subscription | null; at: number },
): void {
  const own = inForce(merchant, subscription?.discounts ?? [], at)
  invoice.discounts = firstOf(own, ofCustomer(merchant, invoice.customer, at)).map(({ key }) => key)
  for (const line of invoice.lines)
    line.discounts = inForce(merchant, line.discounts, at).map(({ key }) => key)
}

type Reducible = {
  readonly amount: number
  readonly product: string | null
  readonly own: readonly Discount[]
}

/** Computes what discounts take off some lines. See docs/contract/discounts.md#amounts. */
function offs(lines: readonly Reducible[], shared: readonly Discount[]): Off[][] {
  const left = lines.map(({ amount }) => Math.max(0, amount))
  const taken: Off[][] = lines.map(() => [])
  const reduce = ({ key, terms }: Discount, places: readonly number[]) => {
    const hit = places.filter(
      (place) => terms.products === null || terms.products.includes(lines[place]?.product ?? 'none'),
    )
    const sum = hit.reduce((all, place) => all + (left[place] ?? 0), 0)
    let before = 0
    for (const place of hit) {
      const rest = left[place] ?? 0
      let amount = 0
      if (terms.percent !== null) amount = quotient(BigInt(rest) * BigInt(terms.percent), 10_000n)
      else if (sum > 0) {
        const whole = BigInt(Math.min(terms.amount ?? 0, sum))
        const upTo = (part: number) => quotient(whole * BigInt(part), BigInt(sum))
        amount = upTo(before + rest) - upTo(before)
      }
      before += rest
      left[place] = rest - amount
      if (amount > 0) taken[place]?.push({ discount: key, amount })
    }
  }
  const places = lines.map((_, place) => place)
  for (const place of places) for (const discount of lines[place]?.own ?? []) reduce(discount, [place])
  const others = places.filter((place) => lines[place]?.own.length === 0)
  for (const discount of shared) reduce(discount, others)
  return taken
}

const productOf = ({ prices }: Merchant, price: string | null): string | null =>
  price === null ? null : named<Price>(prices, price).product

/** Computes anew what the discounts of a draft take off its lines. See docs/contract/discounts.md#drafts. */
export function reduce(merchant: Merchant, invoice: Invoice): void {
  const usable = (keys: readonly string[]) =>
    keys
      .map((key) => named(merchant.discounts, key))
      .filter(({ usedBy }) => usedBy === null || usedBy === invoice.key)
  const taken = offs(
    invoice.lines.map((line) => ({
      amount: line.isDiscountable ? line.amount : 0,
      product: productOf(merchant, line.price),
      own: usable(line.discounts),
    })),
    usable(invoice.discounts),
  )
  invoice.lines.forEach((line, place) => {
    line.off = taken[place] ?? []
  })
}

/** Computes the amounts of a draft, and uses up its discounts with the duration `once`. */
export function reduceAndSpend(operation: Operation, invoice: Invoice): void {
  const { merchant } = operation
  reduce(merchant, invoice)
  for (const key of new Set(invoice.lines.flatMap(({ off }) => off.map(({ discount }) => discount)))) {
    const discount = named(merchant.discounts, key)
    const { holder, terms, usedBy } = discount
    if (terms.duration !== 'once' || usedBy !== null || holder.invoice || holder.invoiceItem) continue
    discount.usedBy = invoice.key
    endDiscount(operation, discount)
  }
}

/** Ends a discount, and takes it from its customer or subscription. */
export function endDiscount(operation: Operation, discount: Discount): void {
  if (discount.isOver) return
  const { merchant } = operation
  discount.isOver = true
  const customer = named<Customer>(merchant.customers, discount.customer)
  if (customer.discount === discount.key) customer.discount = null
  const subscription = merchant.subscriptions.find(({ key }) => key === discount.holder.subscription)
  if (subscription) {
    const rest = (keys: readonly string[] = []) => keys.filter((key) => key !== discount.key)
    subscription.discounts = rest(subscription.discounts)
    for (const [item, keys] of Object.entries(subscription.itemDiscounts))
      subscription.itemDiscounts[item] = rest(keys)
  }
  operation.tellOfDiscount('deleted', discount)
}

/** Ends the discounts of a subscription that ends. */
export function endAllOf(operation: Operation, { discounts, itemDiscounts }: Subscription): void {
  for (const key of [...discounts, ...Object.values(itemDiscounts).flat()])
    endDiscount(operation, named(operation.merchant.discounts, key))
}

/** Ends the discounts of items that the subscription has no more. */
export function endOfGoneItems(operation: Operation, { items, itemDiscounts }: Subscription): void {
  for (const [item, keys] of Object.entries(itemDiscounts)) {
    if (items.some(({ key }) => key === item)) continue
    for (const key of keys) endDiscount(operation, named(operation.merchant.discounts, key))
  }
}

const lasting = (discounts: readonly Discount[]): Discount[] =>
  discounts.filter(({ terms }) => terms.duration !== 'once')

const lastingOfInvoice = (
  merchant: Merchant,
  { discounts, customer }: Subscription,
  at: number,
): readonly Discount[] =>
  firstOf(lasting(inForce(merchant, discounts, at)), lasting(ofCustomer(merchant, customer, at)))

/** Reports whether a discount takes an amount off that all lines of an invoice share, invoice after invoice. */
const isSharedAmount = ({ terms, holder }: Discount): boolean =>
  terms.amount !== null &&
  terms.duration !== 'once' &&
  [holder.item, holder.invoice, holder.invoiceItem].every((id) => id === undefined)

const amountsOffOf = ({ discounts }: Merchant, item: string | null, off: readonly Off[]): AmountOff[] =>
  off.flatMap(({ discount: key, amount }) => {
    const discount = named(discounts, key)
    return isSharedAmount(discount) ? [{ item, coupon: discount.coupon, amount }] : []
  })

/** Records what coupons of an amount take off on the invoice of a period. See docs/contract/discounts.md#prorations. */
export function recordPeriod(merchant: Merchant, subscription: Subscription, lines: readonly Line[]): void {
  subscription.amountsOff = lines.flatMap(({ bills, off }) => {
    const isOfItem = bills !== null && !bills.isUsage && bills.cycle === subscription.cycle
    return amountsOffOf(merchant, isOfItem ? bills.item : null, off)
  })
}

/**
 * Returns what discounts take off items that a change bills, in a whole period, and records it for later changes.
 * See docs/contract/discounts.md#prorations.
 * @param credited - the items whose time is credited
 */
export function recordChange(
  merchant: Merchant,
  subscription: Subscription,
  { credited, billed, at }: { credited: readonly Item[]; billed: readonly Item[]; at: number },
): ReadonlyMap<string, number> {
  const { discount } = named<Customer>(merchant.customers, subscription.customer)
  const present = [...subscription.discounts, ...(discount === null ? [] : [discount])]
  const coupons = present.map((key) => named(merchant.discounts, key).coupon)
  const kept = subscription.amountsOff.filter(
    ({ item, coupon }) => coupons.includes(coupon) && !credited.some(({ key }) => key === item),
  )
  const shared = lastingOfInvoice(merchant, subscription, at).map((each): Discount => {
    const { coupon, terms } = each
    if (terms.amount === null) return each
    const given = kept.filter((part) => part.coupon === coupon).reduce((sum, { amount }) => sum + amount, 0)
    return { ...each, terms: { ...terms, amount: Math.max(0, terms.amount - given) } }
  })
  const taken = offs(
    billed.map((item) => ({
      amount: fullOf(merchant, item),
      product: productOf(merchant, item.price),
      own: lasting(inForce(merchant, subscription.itemDiscounts[item.key] ?? [], at)),
    })),
    shared,
  )
  subscription.amountsOff = [
    ...kept,
    ...billed.flatMap(({ key }, place) => amountsOffOf(merchant, key, taken[place] ?? [])),
  ]
  return new Map(
    billed.map(({ key }, place) => [key, (taken[place] ?? []).reduce((sum, { amount }) => sum + amount, 0)]),
  )
}

/** Adds what discounts take off by discount, in the order of their first amounts. */
export function totalOffs(lines: readonly Pick<Line, 'off'>[]): Off[] {
  const sums = new Map<string, number>()
  for (const { discount, amount } of lines.flatMap(({ off }) => off))
    sums.set(discount, (sums.get(discount) ?? 0) + amount)
  return [...sums].map(([discount, amount]) => ({ discount, amount }))
}

export const showDiscount = ({ customer, coupon, code, holder, start, end }: Discount) => ({
  ...{ customer: `{${customer}}`, start, end, coupon: { id: `{${coupon}}` } },
  promotion_code: code === null ? null : `{${code}}`,
  subscription: holder.subscription === undefined ? null : `{${holder.subscription}}`,
  invoice: holder.invoice === undefined ? null : `{${holder.invoice}}`,
  invoice_item: holder.invoiceItem === undefined ? null : `{${holder.invoiceItem}}`,
})
