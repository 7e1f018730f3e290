import { MAX_AMOUNT, roundedQuotient, sumOfShares } from './money.ts'
import type { Price, Tier, TransformQuantity } from './price.ts'

/** The fields of a price that decide what a quantity costs. */
export type Pricing = Pick<
  Price,
  'unit_amount' | 'unit_amount_decimal' | 'tiers_mode' | 'tiers' | 'transform_quantity'
>

/** A part of a period: `part / whole`, in seconds. */
export type PeriodShare = { readonly part: number; readonly whole: number }

const WHOLE_PERIOD: PeriodShare = { part: 1, whole: 1 }

/**
 * Returns the amount of a quantity of a price, in the smallest currency unit. The exact amount is rounded once, half away from
 * zero.
 * @param share - the billed part of a period; a whole one by default
 * See docs/contract/customers.md#amounts-of-a-quantity.
 */
export function priceAmount(price: Pricing, quantity: number, share = WHOLE_PERIOD): number {
  const fixed = fixedUnitAmount(price)
  if (fixed !== null) {
    const amount = fixed * quantity
    return share === WHOLE_PERIOD ? amount : sumOfShares([{ amount, ...share }])
  }
  return roundedQuotient(exactAmount(price, quantity) * BigInt(share.part), SCALE * BigInt(share.whole))
}

/** Returns the fields of a price whose units have one whole amount. */
export const fixedPricing = (unit_amount: number): Pricing => ({
  unit_amount,
  unit_amount_decimal: null,
  tiers_mode: null,
  tiers: null,
  transform_quantity: null,
})

/** Returns the whole amount that every unit costs; null if the amount is not a product of it and the quantity. */
export const fixedUnitAmount = ({ unit_amount, transform_quantity }: Pricing): number | null =>
  transform_quantity === null ? unit_amount : null

/** Describes a quantity of a price whose units do not have one whole amount: `1200 × Messages`. */
export const quantityText = ({ id, nickname }: Pick<Price, 'id' | 'nickname'>, quantity: number): string =>
  `${quantity} × ${nickname ?? id}`

/** The number of decimals of a decimal amount. */
export const DECIMAL_PLACES = 12
const SCALE = 10n ** BigInt(DECIMAL_PLACES)

/** Converts a decimal amount to an integer number of units of 10⁻¹². */
function scaled(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(DECIMAL_PLACES, '0'))
}

/** Reports whether a decimal amount is at most the largest amount. */
export const isWithinMaximum = (decimal: string): boolean => scaled(decimal) <= BigInt(MAX_AMOUNT) * SCALE

/** Returns an amount in units of 10⁻¹² of the smallest currency unit. */
function exactAmount(price: Pricing, quantity: number): bigint {
  const { tiers, tiers_mode } = price
  if (tiers) return (tiers_mode === 'volume' ? volumeAmount : graduatedAmount)(tiers, quantity)
  return unitOf(price) * BigInt(packagesOf(quantity, price.transform_quantity))
}

/** Bills the part of the quantity in each tier. The flat amount of the first tier is billed also for no units. */
function graduatedAmount(tiers: readonly Tier[], quantity: number): bigint {
  let amount = 0n
  let below = 0
  for (const tier of tiers) {
    const last = tier.up_to ?? Number.POSITIVE_INFINITY
    amount += flatOf(tier) + unitOf(tier) * BigInt(Math.min(quantity, last) - below)
    if (quantity <= last) break
    below = last
  }
  return amount
}

/** Bills the whole quantity in the tier that it reaches. */
function volumeAmount(tiers: readonly Tier[], quantity: number): bigint {
  const tier = tiers.find(({ up_to }) => up_to === null || quantity <= up_to)
  return tier ? flatOf(tier) + unitOf(tier) * BigInt(quantity) : 0n
}

const unitOf = ({ unit_amount, unit_amount_decimal }: Pick<Tier, 'unit_amount' | 'unit_amount_decimal'>) =>
  scaled(unit_amount_decimal ?? String(unit_amount ?? 0))

const flatOf = ({ flat_amount, flat_amount_decimal }: Tier): bigint =>
  scaled(flat_amount_decimal ?? String(flat_amount ?? 0))

/** Returns the number of units that are billed for a quantity. */
function packagesOf(quantity: number, transform: TransformQuantity | null): number {
  if (!transform) return quantity
  const rest = quantity % transform.divide_by
  const full = (quantity - rest) / transform.divide_by
  return rest > 0 && transform.round === 'up' ? full + 1 : full
}

/** Formats a decimal amount without superfluous zeros: `010.50` → `10.5`. */
export function normalDecimal(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.')
  const rest = fraction.replace(/0+$/, '')
  return `${BigInt(whole)}${rest && '.'}${rest}`
}

/** Returns the whole amount that a normal decimal is; null if it has a fraction. */
export const wholeAmount = (decimal: string): number | null =>
  decimal.includes('.') ? null : Number(decimal)
