import type { DiscountAmount } from './billing/discount-amounts.ts'

/**
 * What discounts of a fixed amount that several items share take off each of them in the current period, by item and then by
 * discount: as the items were billed, in the smallest currency unit for a whole period. An item that was removed without a
 * credit stays in it. null for nothing.
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
