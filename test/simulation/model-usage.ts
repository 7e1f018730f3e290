import { costOf, MAX_AMOUNT, subtotalOf } from './model-amounts.ts'
import { DAY } from './model-calendar.ts'
import type { Item, Line, Merchant, Price, Subscription } from './model-state.ts'
import { named } from './model-state.ts'

export type Meter = { readonly key: string; readonly formula: 'sum' | 'count' | 'last'; isActive: boolean }

/** A reported usage. Values are in thousandths. */
export type MeterEvent = {
  readonly key: string
  readonly meter: string
  readonly customer: string
  readonly value: number
  readonly timestamp: number
  readonly received: number
  isCanceled: boolean
}

/** Amounts are for one unit; a tier without `upTo` is the last one. */
export type Tier = { readonly upTo: number | null; readonly amount: number; readonly flat: number }

/** Whether an event can have a timestamp. See docs/contract/usage.md#meter-events. */
export const isAccepted = (timestamp: number, now: number): boolean =>
  timestamp >= now - 35 * DAY && timestamp <= now + 300

/** Whether new items cannot use a price, because its meter is inactive. See docs/contract/usage.md#meters. */
export const isOfInactive = ({ prices, meters }: Merchant, price: string): boolean => {
  const { meter } = named<Price>(prices, price)
  return meter !== null && !named(meters, meter).isActive
}

/** Returns the usage in a span in thousandths; never negative. See docs/contract/usage.md#aggregation. */
export function usageOf(
  { meters, meterEvents }: Merchant,
  { meter, customer }: Pick<MeterEvent, 'meter' | 'customer'>,
  { start, end }: { start: number; end: number },
): number {
  const events = meterEvents.filter(
    (event) =>
      event.meter === meter &&
      event.customer === customer &&
      !event.isCanceled &&
      event.timestamp >= start &&
      event.timestamp < end,
  )
  const { formula } = named(meters, meter)
  if (formula === 'count') return events.length * 1000
  if (formula === 'sum') return events.reduce((sum, { value }) => sum + value, 0)
  let last: MeterEvent | undefined
  for (const event of events) if (!last || event.timestamp >= last.timestamp) last = event
  return last?.value ?? 0
}

/** The items and the span whose usage an invoice bills. */
export type Ended = { readonly items: readonly Item[]; readonly start: number; readonly end: number }

/** Returns the lines for the usage of a period that has ended. See docs/contract/usage.md#billing. */
export function usageLines(
  merchant: Merchant,
  { customer, cycle, itemDiscounts }: Subscription,
  { items, start, end }: Ended,
  room: number,
): Line[] {
  const lines: Line[] = []
  for (const { key, price, isMetered, since } of items) {
    const span = { start: Math.max(start, since), end }
    if (!isMetered || span.start >= end) continue
    const { meter } = named<Price>(merchant.prices, price)
    const usage = usageOf(merchant, { meter: meter ?? '', customer }, span)
    const amount = Math.min(costOf(named(merchant.prices, price), usage), room - subtotalOf(lines))
    lines.push({
      amount,
      bills: { item: key, cycle, ...span, isUsage: true },
      from: null,
      price,
      discounts: itemDiscounts[key] ?? [],
      isDiscountable: true,
      off: [],
      usage,
    })
  }
  return lines
}

/** Whether a final invoice would bill usage. */
export const hasUsage = (merchant: Merchant, subscription: Subscription, ended: Ended): boolean =>
  subtotalOf(usageLines(merchant, subscription, ended, MAX_AMOUNT)) > 0

/**
 * Computes anew the usage on a draft; late and canceled events count until it is finalized.
 * @returns whether it has changed
 */
export function refreshUsage(merchant: Merchant, customer: string, lines: readonly Line[]): boolean {
  const isOfPeriod = ({ bills, from }: Line) => bills?.isUsage === true && from === null
  const items = subtotalOf(lines.filter(({ from }) => from !== null))
  const billed = subtotalOf(lines.filter(isOfPeriod))
  let room = MAX_AMOUNT - (subtotalOf(lines) - items - billed) - Math.max(0, items)
  const isFull = room < billed
  let isChanged = false
  for (const line of lines.filter(isOfPeriod)) {
    const price = named<Price>(merchant.prices, line.price ?? '')
    if (!line.bills) continue
    const usage = usageOf(merchant, { meter: price.meter ?? '', customer }, line.bills)
    const amount = Math.min(costOf(price, usage), isFull ? line.amount : room)
    room -= amount
    if (line.usage !== usage || line.amount !== amount) isChanged = true
    line.usage = usage
    line.amount = amount
  }
  return isChanged
}

/** The items whose price stays in a change. */
export const keptOf = (before: readonly Item[], after: readonly Item[]): Item[] =>
  before.filter(({ key, price }) => after.some((item) => item.key === key && item.price === price))

/** Sets from when the usage of changed items counts. See docs/contract/usage.md#changing-a-plan. */
export const countedFrom = (before: readonly Item[], after: readonly Item[], at: number): Item[] =>
  after.map((item) => {
    const old = before.find(({ key }) => key === item.key)
    if (old?.price === item.price || !(item.isMetered || old?.isMetered)) return item
    return { ...item, since: Math.max(at, old?.since ?? 0) }
  })
