import type { DiscountAmount } from './billing/discount-amounts.ts'

/**
 * The parts of shared discounts of a fixed amount in the current period, by subscription item, in the smallest currency unit: what its
 * invoice took off, or what a later change took off for a whole period. The part of an item that was removed without a credit stays.
 * null if there are none.
 * See docs/contract/discounts.md#prorations.
 */
export type AmountsOff = Readonly<Record<string, readonly DiscountAmount[]>> | null

/** Collects the amounts of items, in their order. */
export function amountsOff(
  items: readonly (readonly [id: string, amounts: readonly DiscountAmount[]])[],
): AmountsOff {
  const reduced = items.filter(([, amounts]) => amounts.length > 0)
  return reduced.length === 0 ? null : Object.fromEntries(reduced)
}

/** Returns the amounts without those of some items. */
export const withoutItems = (amounts: AmountsOff, isLeftOut: (item: string) => boolean): AmountsOff =>
  amountsOff(Object.entries(amounts ?? {}).filter(([item]) => !isLeftOut(item)))
