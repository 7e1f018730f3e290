import { formatAmount, formatDecimal } from '../core/money.ts'
import { priceAmount } from '../core/price-amount.ts'
import type { SubscriptionShape as Subscription } from '../http/schemas/subscription.ts'

type Price = NonNullable<Subscription['items']['data'][number]['price']>

/** Formats a billing interval: `a month`, `every 3 months`. */
function intervalText(recurring: Price['recurring']): string {
  if (!recurring) return ''
  const { interval, interval_count } = recurring
  return interval_count === 1 ? `a ${interval}` : `every ${interval_count} ${interval}s`
}

/** Formats the price of a unit: `40.00 USD a month`, `10.00 USD for 100 a month`, `graduated a month`. */
export function unitPriceText(price: Price): string {
  return `${unitAmountText(price)} ${intervalText(price.recurring)}`.trim()
}

function unitAmountText(price: Price): string {
  const { unit_amount, unit_amount_decimal, tiers_mode, transform_quantity, currency } = price
  if (tiers_mode !== null) return tiers_mode
  const amount =
    unit_amount === null
      ? formatDecimal(unit_amount_decimal ?? '0', currency)
      : formatAmount(unit_amount, currency)
  return transform_quantity ? `${amount} for ${transform_quantity.divide_by}` : amount
}

/** Formats the price of a subscription: `40.00 USD a month`. */
export function costText({ items, currency }: Pick<Subscription, 'items' | 'currency'>): string {
  const amount = items.data.reduce(
    (sum, { price, quantity }) => sum + (price && quantity !== null ? priceAmount(price, quantity) : 0),
    0,
  )
  return `${formatAmount(amount, currency)} ${intervalText(items.data[0]?.price?.recurring ?? null)}`.trim()
}
