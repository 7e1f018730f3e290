/** What a coupon takes off. */
export type CouponAmount = {
  readonly coupon: string
  /** In the smallest currency unit. */
  readonly amount: number
  /** The id of the item whose own discount took it off; absent for discounts that all items share. */
  readonly owner?: string
}

/**
 * The parts of coupons with a fixed amount in the current period, by subscription item: what the invoice of the period took off, or what
 * a later change took off for a whole period. The entry without an item has the parts of all others: of lines of that invoice for
 * something else, and of items that were removed without a credit. null if there are none.
 * See docs/contract/discounts.md#prorations.
 */
export type AmountsOff = Readonly<Record<string, readonly CouponAmount[]>> | null

/** One part of a coupon, and the item of which it is; null for all others. */
export type PartOfItem = CouponAmount & { readonly item: string | null }

const OTHERS = ''

/** Collects parts, those of one item, coupon and owner in one sum. */
export function amountsOff(parts: readonly PartOfItem[]): AmountsOff {
  if (parts.length === 0) return null
  const items = new Map<string, Map<string, CouponAmount>>()
  for (const { item, ...part } of parts) {
    const sums = items.get(item ?? OTHERS) ?? new Map<string, CouponAmount>()
    const key = `${part.coupon} ${part.owner ?? ''}`
    const amount = part.amount + (sums.get(key)?.amount ?? 0)
    items.set(item ?? OTHERS, sums.set(key, { ...part, amount }))
  }
  return Object.fromEntries([...items].map(([item, sums]) => [item, [...sums.values()]]))
}

/** Lists the parts that `amountsOff` has collected. */
export const partsOff = (amounts: AmountsOff): PartOfItem[] =>
  Object.entries(amounts ?? {}).flatMap(([item, parts]) =>
    parts.map((part) => ({ ...part, item: item === OTHERS ? null : item })),
  )
