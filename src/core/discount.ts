import { addIntervals } from './calendar.ts'
import type { CouponTerms } from './coupon.ts'

/** The maximum number of discounts in a list. */
export const MAX_DISCOUNTS = 20

/** A coupon that was redeemed for a customer, a subscription, an item or an invoice. See docs/contract/discounts.md#discounts. */
export type Discount = {
  readonly id: string
  readonly created: number
  readonly customer: string
  readonly subscription: string | null
  readonly subscription_item: string | null
  readonly invoice: string | null
  readonly invoice_item: string | null
  /** The internal id of the coupon. */
  readonly coupon: string
  readonly promotion_code: string | null
  /** The coupon's terms. Not part of the API's object, which shows the coupon. */
  readonly terms: CouponTerms
  /** Unix seconds: it reduces the amounts of the time from `start` up to, but not at, `end`. */
  readonly start: number
  /** null for a discount without an end by the calendar. */
  readonly end: number | null
  /** The invoice that a discount with the duration `once` reduced. Not part of the API's object. */
  readonly used_by: string | null
  /** Whether it was removed, has ended or is used. */
  readonly deleted: boolean
  readonly test_clock: string | null
}

/** Returns when a discount ends: so many months after its start, by the calendar; null for the other durations. */
export const endOfDiscount = (start: number, months: number | null): number | null =>
  months === null ? null : addIntervals(start, { interval: 'month', interval_count: 1 }, months)

/** Reports whether a discount reduces amounts in a currency at an instant. */
export const reduces = (
  { deleted, start, end, terms }: Discount,
  { currency, at }: { readonly currency: string; readonly at: number },
): boolean =>
  !deleted &&
  start <= at &&
  (end === null || at < end) &&
  (terms.currency === null || terms.currency === currency)

/** Discounts by id. */
export type Discounts = ReadonlyMap<string, Discount>

export const NO_DISCOUNTS: Discounts = new Map()

const NONE: readonly never[] = []

/** Finds the discounts of a list, in its order. Those that are not in the map are left out. */
export function discountsIn(discounts: Discounts, ids: readonly string[] = NONE): readonly Discount[] {
  if (ids.length === 0) return NONE
  const found: Discount[] = []
  for (const id of ids) {
    const discount = discounts.get(id)
    if (discount) found.push(discount)
  }
  return found
}
