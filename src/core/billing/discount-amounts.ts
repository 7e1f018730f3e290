import type { Discount } from '../discount.ts'
import { roundedQuotient } from '../money.ts'

/** The amount that a discount takes off a line, in the smallest currency unit. */
export type DiscountAmount = { readonly discount: string; readonly amount: number }

/** A line that discounts may reduce. */
export type Reducible = {
  /** In the smallest currency unit. */
  readonly amount: number
  /** The product of the line's price; null if there is none. */
  readonly product: string | null
  /** The line's own discounts, which take the place of the invoice's; empty for none. */
  readonly own: readonly Discount[]
  /** Whether discounts reduce the line at all. */
  readonly isDiscountable: boolean
}

/** Hundredths of a percent in a whole: a percentage has up to two decimals. */
const WHOLE = 10_000

/**
 * Returns the discount amounts of each line. All discounts must be in force, and in the currency of the lines.
 * First a line's own discounts reduce it, then those of the invoice reduce the lines without discounts of their own.
 * Each discount reduces the amount that the discounts before it in the list left. No line falls below 0.
 * @param ofInvoice - the discounts of the invoice, in their order
 * @returns for each line the amounts in the order in which they are taken off, without amounts of 0
 * See docs/contract/discounts.md#amounts.
 */
export function discountAmounts(
  lines: readonly Reducible[],
  ofInvoice: readonly Discount[],
): readonly (readonly DiscountAmount[])[] {
  const left = lines.map(({ amount, isDiscountable }) => (isDiscountable ? Math.max(0, amount) : 0))
  const taken: DiscountAmount[][] = lines.map(() => [])
  const take = (discount: Discount, places: readonly number[]) => {
    const amounts = partsOf(
      discount,
      places.map((place) => left[place] ?? 0),
    )
    places.forEach((place, index) => {
      const amount = amounts[index] ?? 0
      if (amount === 0) return
      left[place] = (left[place] ?? 0) - amount
      taken[place]?.push({ discount: discount.id, amount })
    })
  }
  const places = lines.map((_, place) => place)
  const appliesTo = (discount: Discount, place: number) => isOfProduct(discount, lines[place]?.product)
  for (const { discount, at } of ownDiscounts(lines)) {
    take(
      discount,
      at.filter((place) => appliesTo(discount, place)),
    )
  }
  for (const discount of ofInvoice)
    take(
      discount,
      places.filter((place) => lines[place]?.own.length === 0 && appliesTo(discount, place)),
    )
  return taken
}

/** Returns the lines' own discounts, each with the places of its lines: an item can have several lines, and its amount is divided among them. */
function ownDiscounts(lines: readonly Reducible[]): Iterable<{ discount: Discount; at: number[] }> {
  const owned = new Map<string, { discount: Discount; at: number[] }>()
  lines.forEach(({ own }, place) => {
    for (const discount of own) {
      const known = owned.get(discount.id)
      if (known) known.at.push(place)
      else owned.set(discount.id, { discount, at: [place] })
    }
  })
  return owned.values()
}

function isOfProduct({ terms: { applies_to } }: Discount, product: string | null = null): boolean {
  return applies_to === null || (product !== null && applies_to.products.includes(product))
}

/** Returns the parts of one discount for each of some amounts. A percentage is rounded for each amount, half away from zero. */
function partsOf({ terms }: Discount, amounts: readonly number[]): number[] {
  if (terms.percent_off === null) return dividedAmount(terms.amount_off ?? 0, amounts)
  const hundredths = Math.round(terms.percent_off * 100)
  return amounts.map((amount) => partOf(amount, hundredths))
}

/** Returns a part of an amount that is at least 0, rounded half up. */
function partOf(amount: number, hundredths: number): number {
  const doubled = 2 * amount * hundredths + WHOLE
  // Numbers hold the product of every amount that can be billed, and are quicker.
  if (!Number.isSafeInteger(doubled))
    return roundedQuotient(BigInt(amount) * BigInt(hundredths), BigInt(WHOLE))
  return (doubled - (doubled % (2 * WHOLE))) / (2 * WHOLE)
}

/**
 * Divides an amount in proportion to others, at most up to their sum: the parts of the first amounts together are rounded half
 * away from zero, so that all parts add up exactly.
 */
function dividedAmount(amount: number, amounts: readonly number[]): number[] {
  const sum = amounts.reduce((all, each) => all + each, 0)
  if (sum === 0) return amounts.map(() => 0)
  const off = Math.min(amount, sum)
  let reached = 0
  let given = 0
  return amounts.map((each) => {
    reached += each
    const part = roundedQuotient(BigInt(off) * BigInt(reached), BigInt(sum)) - given
    given += part
    return part
  })
}

/** Sums the discount amounts of some lines by discount, in the order of their first occurrence. */
export function totalDiscountAmounts(
  lines: readonly { readonly discount_amounts?: readonly DiscountAmount[] }[],
): DiscountAmount[] {
  const sums = new Map<string, number>()
  for (const { discount_amounts = [] } of lines)
    for (const { discount, amount } of discount_amounts)
      sums.set(discount, (sums.get(discount) ?? 0) + amount)
  return [...sums].map(([discount, amount]) => ({ discount, amount }))
}
