import { formatDecimal } from '../../../core/money.ts'
import { meterOf, type Price, type PriceTerms } from '../../../core/price.ts'
import { amountText } from './amount.ts'

/** Formats a billing interval for a customer: `per month`, `every 3 months`. */
export const intervalText = ({ interval, interval_count }: NonNullable<Price['recurring']>): string =>
  interval_count === 1 ? `per ${interval}` : `every ${interval_count} ${interval}s`

/** Formats the price of a unit: `$20.00 per month`, `$10.00 for 100 per month`, `$0.05 by usage, billed each month`. */
export function unitText(price: PriceTerms): string {
  const amount = unitAmountText(price)
  const { recurring } = price
  if (!recurring) return amount
  return meterOf(price) === undefined
    ? `${amount} ${intervalText(recurring)}`
    : `${amount} by usage, billed ${recurring.interval_count === 1 ? `each ${recurring.interval}` : intervalText(recurring)}`
}

/** Formats a quantity with what it costs: `3 × $20.00 per month`, `8 units, price by quantity per year`. */
export function quantityText(price: PriceTerms, quantity: number | null): string {
  const unit = unitText(price)
  if (quantity === null || quantity === 1) return unit
  const isOfEach = price.tiers_mode === null && price.transform_quantity === null
  return isOfEach ? `${quantity} × ${unit}` : `${quantity} units, ${unit}`
}

function unitAmountText({
  unit_amount,
  unit_amount_decimal,
  tiers_mode,
  transform_quantity,
  currency,
}: PriceTerms): string {
  if (tiers_mode !== null) return 'price by quantity'
  const amount =
    unit_amount === null
      ? formatDecimal(unit_amount_decimal ?? '0', currency)
      : amountText(unit_amount, currency)
  return transform_quantity ? `${amount} for ${transform_quantity.divide_by}` : amount
}
