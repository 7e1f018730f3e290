import { MAX_AMOUNT, roundedQuotient, sumOfShares } from './money.ts'
import type { Price, Tier, TransformQuantity } from './price.ts'

/** The fields of a price that decide the amount of a quantity. */
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
 * @param off - what discounts take off a whole period
 * See docs/contract/customers.md#amounts-of-a-quantity.
 */
export function priceAmount(price: Pricing, quantity: number, share = WHOLE_PERIOD, off = 0): number {
  const fixed = fixedUnitAmount(price)
  if (fixed !== null) {
    const amount = fixed * quantity - off
    return share === WHOLE_PERIOD ? amount : sumOfShares([{ amount, ...share }])
  }
  const exact = exactAmount(price, BigInt(quantity) * SCALE) - BigInt(off) * SCALE * SCALE
  return roundedQuotient(exact * BigInt(share.part), SCALE * SCALE * BigInt(share.whole))
}

/**
 * Returns the amount of a quantity of usage, in the smallest currency unit. The exact amount is rounded once, half away from zero.
 * @param quantity - at least 0, in units of 10⁻¹²
 * See docs/contract/usage.md#amounts.
 */
export const usageAmount = (price: Pricing, quantity: bigint): number =>
  roundedQuotient(exactAmount(price, quantity), SCALE * SCALE)

/** Returns the fields of a price whose units have one whole amount. */
export const fixedPricing = (unit_amount: number): Pricing => ({
  unit_amount,
  unit_amount_decimal: null,
  tiers_mode: null,
  tiers: null,
  transform_quantity: null,
})

/** Returns the whole amount of a unit; null if the amount of a quantity is not its multiple. */
export const fixedUnitAmount = ({ unit_amount, transform_quantity }: Pricing): number | null =>
  transform_quantity === null ? unit_amount : null

/** Describes a quantity of a price whose units do not have one whole amount: `1200 × Messages`. */
export const quantityText = ({ id, nickname }: Pick<Price, 'id' | 'nickname'>, quantity: number): string =>
  `${quantity} × ${nickname ?? id}`

/** The number of decimals of a decimal amount. */
export const DECIMAL_PLACES = 12
/** The number of units of 10⁻¹² in 1. */
export const SCALE = 10n ** BigInt(DECIMAL_PLACES)

/** Converts a decimal number to an integer number of units of 10⁻¹². */
export function scaled(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(DECIMAL_PLACES, '0'))
}

/** Reports whether a decimal amount is at most the largest amount. */
export const isWithinMaximum = (decimal: string): boolean => scaled(decimal) <= BigInt(MAX_AMOUNT) * SCALE

/** Returns the amount of a quantity in units of 10⁻¹² as an amount in units of 10⁻²⁴ of the smallest currency unit. */
function exactAmount(price: Pricing, quantity: bigint): bigint {
  const { tiers, tiers_mode } = price
  if (tiers) return (tiers_mode === 'volume' ? volumeAmount : graduatedAmount)(tiers, quantity)
  return unitOf(price) * packagesOf(quantity, price.transform_quantity)
}

/** Bills the part of the quantity in each tier. The flat amount of the first tier is billed also for no units. */
function graduatedAmount(tiers: readonly Tier[], quantity: bigint): bigint {
  let amount = 0n
  let below = 0n
  for (const tier of tiers) {
    const isLast = endsWithin(tier, quantity)
    const last = isLast ? quantity : endOf(tier)
    amount += flatOf(tier) * SCALE + unitOf(tier) * (last - below)
    if (isLast) break
    below = last
  }
  return amount
}

/** Bills the whole quantity in the tier that it reaches. */
function volumeAmount(tiers: readonly Tier[], quantity: bigint): bigint {
  const tier = tiers.find((each) => endsWithin(each, quantity))
  return tier ? flatOf(tier) * SCALE + unitOf(tier) * quantity : 0n
}

/** Returns the last quantity of a tier that is not the last one, in units of 10⁻¹². */
const endOf = ({ up_to }: Tier): bigint => BigInt(up_to ?? 0) * SCALE

/** Reports whether a quantity does not exceed a tier. */
const endsWithin = (tier: Tier, quantity: bigint): boolean => tier.up_to === null || quantity <= endOf(tier)

const unitOf = ({ unit_amount, unit_amount_decimal }: Pick<Tier, 'unit_amount' | 'unit_amount_decimal'>) =>
  scaled(unit_amount_decimal ?? String(unit_amount ?? 0))

const flatOf = ({ flat_amount, flat_amount_decimal }: Tier): bigint =>
  scaled(flat_amount_decimal ?? String(flat_amount ?? 0))

/** Returns the number of units that are billed for a quantity; both in units of 10⁻¹². */
function packagesOf(quantity: bigint, transform: TransformQuantity | null): bigint {
  if (!transform) return quantity
  const size = BigInt(transform.divide_by) * SCALE
  const full = quantity / size
  const isStarted = quantity % size > 0n && transform.round === 'up'
  return (isStarted ? full + 1n : full) * SCALE
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
