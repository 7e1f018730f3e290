import { fullOf, MAX_AMOUNT, netOf, subtotalOf } from './model-amounts.ts'
import { type Interval, periodBegin } from './model-calendar.ts'
import { recordChange } from './model-discount.ts'
import type { Billed, Invoice, InvoiceItem, Item, Line, Merchant, Subscription } from './model-state.ts'
import { named, newKey } from './model-state.ts'
import { keptOf, usageLines } from './model-usage.ts'

/** Rounds a fraction half away from zero. */
function rounded(numerator: bigint, denominator: bigint): number {
  const size = numerator < 0n ? -numerator : numerator
  const whole = Number((2n * size + denominator) / (2n * denominator))
  return numerator < 0n ? -whole : whole
}

/** A line that bills, or credits, the time of an item. */
type Entry = { readonly amount: number; readonly bills: Billed }

/** Invoices with these statuses bill nothing. See docs/contract/proration.md#credits. */
const WORTHLESS: readonly Invoice['status'][] = ['void', 'uncollectible', 'deleted']

/** Everything that bills an item in the current period: on invoices, and waiting for one. */
function entriesOf(merchant: Merchant, { key, cycle }: Subscription, item: string): Entry[] {
  const entries: (Pick<Line, 'amount'> & { readonly bills: Billed | null })[] = [
    ...merchant.invoices
      .filter(({ subscription, status }) => subscription === key && !WORTHLESS.includes(status))
      .flatMap(({ lines }) => lines.map((line) => ({ amount: netOf(line), bills: line.bills }))),
    ...merchant.items.filter(({ invoice }) => invoice === null),
  ]
  return entries.filter(
    (entry): entry is Entry =>
      entry.bills?.item === item && entry.bills.cycle === cycle && !entry.bills.isUsage,
  )
}

/**
 * Returns what was billed for the time of an item after an instant, at most the sum of all lines of that time. The exact
 * parts of the lines are added before their sum is rounded. See docs/contract/proration.md#rounding.
 */
export function unusedOf(merchant: Merchant, subscription: Subscription, item: string, from: number): number {
  let [numerator, denominator, total] = [0n, 1n, 0]
  for (const { amount, bills } of entriesOf(merchant, subscription, item)) {
    if (bills.end <= from) continue
    const left = BigInt(bills.end - Math.max(bills.start, from))
    const whole = BigInt(bills.end - bills.start)
    numerator = numerator * whole + BigInt(amount) * left * denominator
    denominator *= whole
    total += amount
  }
  return Math.max(0, Math.min(rounded(numerator, denominator), total))
}

/** Returns the price of an item, less `off` in a whole period, for the rest of the current period. */
function remainingOf(
  merchant: Merchant,
  subscription: Subscription,
  item: Item,
  { from, off }: { from: number; off: number },
): number {
  const left = BigInt(subscription.end - from)
  return rounded(BigInt(fullOf(merchant, item) - off) * left, BigInt(wholeOf(merchant, subscription)))
}

/**
 * Returns the seconds for which the full price counts: those of the whole interval if an anchor shortened the period.
 * See docs/contract/proration.md#a-first-period-up-to-an-anchor.
 */
function wholeOf({ prices }: Merchant, { items, period, anchor, start, end }: Subscription): number {
  const interval: Interval = named(prices, items[0]?.price ?? 'a price')
  return period < 0 ? end - periodBegin(anchor, interval, period) : end - start
}

/** Adds a line that waits for the subscription's next invoice, unless its amount is 0. */
function wait(
  merchant: Merchant,
  subscription: Subscription,
  item: string,
  from: number,
  amount: number,
  { isDiscountable = false, price = null }: { isDiscountable?: boolean; price?: string | null } = {},
): void {
  if (amount === 0) return
  merchant.items.push({
    key: newKey(merchant, 'ii'),
    customer: subscription.customer,
    isOwn: false,
    amount,
    invoice: null,
    subscription: subscription.key,
    bills: { item, cycle: subscription.cycle, start: from, end: subscription.end },
    discounts: [],
    isDiscountable,
    price,
  })
}

/** Adds the items of a first period that an anchor shortens. See docs/contract/proration.md#a-first-period-up-to-an-anchor. */
export function billShortened(merchant: Merchant, subscription: Subscription): void {
  const { start: from, items } = subscription
  for (const item of items) {
    const amount = remainingOf(merchant, subscription, item, { from, off: 0 })
    wait(merchant, subscription, item.key, from, amount, { isDiscountable: true, price: item.price })
  }
}

/**
 * Adds items for the usage of the prices that a change replaces, up to the change.
 * See docs/contract/usage.md#changing-a-plan.
 */
export function billUsage(
  merchant: Merchant,
  subscription: Subscription,
  { before, after, end }: { before: readonly Item[]; after: readonly Item[]; end: number },
): void {
  const kept = keptOf(before, after)
  const items = before.filter((item) => !kept.includes(item))
  const ended = { items, start: subscription.start, end }
  // Each item is limited by itself.
  for (const item of items) {
    for (const { amount, bills, price } of usageLines(
      merchant,
      subscription,
      { ...ended, items: [item] },
      MAX_AMOUNT,
    )) {
      if (amount === 0) continue
      merchant.items.push({
        key: newKey(merchant, 'ii'),
        customer: subscription.customer,
        isOwn: false,
        amount,
        invoice: null,
        subscription: subscription.key,
        bills,
        discounts: [],
        isDiscountable: true,
        price,
      })
    }
  }
}

/** Credits the unused time of items. See docs/contract/proration.md#lines. */
export function creditItems(
  merchant: Merchant,
  subscription: Subscription,
  items: readonly Item[],
  from: number,
): void {
  for (const { key } of items)
    wait(merchant, subscription, key, from, -unusedOf(merchant, subscription, key, from))
}

/** Credits and charges what differs between two lists of items. See docs/contract/proration.md#lines. */
export function prorate(
  merchant: Merchant,
  subscription: Subscription,
  { before, from, at }: { before: readonly Item[]; from: number; at: number },
): void {
  const after = subscription.items
  const isSame = (old: Item) => (now: Item) =>
    old.key === now.key && old.price === now.price && old.quantity === now.quantity
  const taken = recordChange(merchant, subscription, {
    credited: before.filter((old) => !after.some(isSame(old))),
    billed: after.filter((now) => !before.some(isSame(now))),
    at,
  })
  const all = [...before, ...after.filter(({ key }) => !before.some((old) => old.key === key))]
  for (const { key } of all) {
    const [old, now] = [before, after].map((items) => items.find((item) => item.key === key))
    if (old && now && isSame(old)(now)) continue
    if (old) creditItems(merchant, subscription, [old], from)
    if (!now) continue
    const off = taken.get(key) ?? 0
    wait(merchant, subscription, key, from, remainingOf(merchant, subscription, now, { from, off }))
  }
}

/**
 * Moves what waits for a subscription to an invoice, oldest first, before the lines of the plan. An item that would
 * exceed the largest amount goes on waiting. See docs/contract/invoices.md#lines.
 */
export function withWaiting(
  merchant: Merchant,
  subscription: Subscription,
  { invoice, plan }: { invoice: string; plan: readonly Line[] },
): Line[] {
  const taken: Line[] = []
  for (const item of waitingFor(merchant, subscription).slice(0, 250)) {
    if (subtotalOf([...taken, ...plan]) + item.amount > MAX_AMOUNT) continue
    item.invoice = invoice
    const line = lineOfItem(item)
    const isOfItem = subscription.items.some(({ key }) => key === item.bills?.item)
    // Usage, and a first period that an anchor shortened.
    if (isOfItem && item.isDiscountable)
      line.discounts = subscription.itemDiscounts[item.bills?.item ?? ''] ?? []
    taken.push(line)
  }
  return [...taken, ...plan]
}

export const waitingFor = ({ items }: Merchant, { key }: Subscription) =>
  items.filter(({ subscription, invoice }) => subscription === key && invoice === null)

/** The lines of the plan itself, for the current period. */
export const linesOfPlan = (
  merchant: Merchant,
  { items, itemDiscounts, cycle, start, end }: Subscription,
): Line[] =>
  items
    .filter(({ isMetered }) => !isMetered)
    .map((item) => ({
      amount: fullOf(merchant, item),
      bills: { item: item.key, cycle, start, end },
      from: null,
      price: item.price,
      discounts: itemDiscounts[item.key] ?? [],
      isDiscountable: true,
      off: [],
    }))

/** The line of an invoice item. */
export const lineOfItem = ({ key, amount, bills, discounts, isDiscountable, price }: InvoiceItem): Line => ({
  ...{ amount, bills, from: key, price, discounts: [...discounts], isDiscountable, off: [] },
})
