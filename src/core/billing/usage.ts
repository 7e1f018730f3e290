import type { Period } from '../calendar.ts'
import type { InvoiceLine } from '../invoice-line.ts'
import { quantityDecimal } from '../meter.ts'
import { MAX_AMOUNT, sumOf } from '../money.ts'
import type { BilledPrice } from '../price.ts'
import { fixedUnitAmount, SCALE, usageAmount } from '../price-amount.ts'
import type { Prices, Subscription } from '../subscription.ts'
import { isMetered, type SubscriptionItem } from '../subscription-item.ts'

/** Returns the usage of a metered item in a span, in units of 10⁻¹²; never negative. */
export type ReadUsage = (item: SubscriptionItem, period: Period) => bigint

/** The part of the state from which usage is billed. */
export type UsageSource = {
  readonly newId: (prefix: string) => string
  readonly prices: Prices
  readonly usage: ReadUsage
}

/** The metered items whose usage is billed, and the period that ends. */
export type EndedPeriod = { readonly items: readonly SubscriptionItem[]; readonly period: Period }

/** The billed usage of an item in a span. */
export type BilledUsage = {
  readonly amount: number
  /** null if the units do not have one whole amount. */
  readonly unit_amount: number | null
  /** Without the fraction. */
  readonly quantity: number
  /** The whole decimal number, if the quantity is not whole. */
  readonly quantity_decimal?: string
  readonly description: string
}

/**
 * Returns the span of a period in which the usage of an item counts: an item or a price that was set within the period
 * counts from then.
 * See docs/contract/usage.md#changing-a-plan.
 */
export const meteredSpan = ({ metered_from = 0 }: SubscriptionItem, { start, end }: Period): Period => ({
  start: Math.min(end, Math.max(start, metered_from)),
  end,
})

/**
 * Returns the price of a quantity of usage. The part beyond the largest amount of an invoice is not billed, because a renewal
 * must not fail.
 * @param quantity - in units of 10⁻¹²
 * @param room - the largest amount, in the smallest currency unit
 */
export function billedUsage(price: BilledPrice, quantity: bigint, room = MAX_AMOUNT): BilledUsage {
  const decimal = quantityDecimal(quantity)
  const whole = Number(quantity / SCALE)
  return {
    amount: Math.min(usageAmount(price, quantity), room),
    unit_amount: fixedUnitAmount(price),
    quantity: Math.min(whole, Number.MAX_SAFE_INTEGER),
    ...(quantity % SCALE !== 0n && { quantity_decimal: decimal }),
    description: `${decimal} × ${price.nickname ?? price.id}`,
  }
}

/**
 * Returns the largest sum of the usage on an invoice. Invoice items whose sum is negative do not raise it: otherwise a line could
 * exceed the largest amount.
 * @param plan - the sum of the lines of the subscription's items
 * @param items - the sum of the lines of invoice items
 * See docs/contract/usage.md#amounts.
 */
export const roomForUsage = (plan: number, items = 0): number => MAX_AMOUNT - plan - Math.max(0, items)

/**
 * Creates the lines for the usage of a period that has ended, one for each metered item.
 * @param room - the largest sum of their amounts, in the smallest currency unit
 * See docs/contract/usage.md#billing.
 */
export function usageLines(source: UsageSource, { items, period }: EndedPeriod, room: number): InvoiceLine[] {
  const lines: InvoiceLine[] = []
  for (const item of items.filter(isMetered)) {
    const span = meteredSpan(item, period)
    const price = source.prices.get(item.price)
    // A price that was set as the period ends has no usage in it.
    if (!price || span.start >= span.end) continue
    lines.push({
      id: source.newId('il'),
      ...billedUsage(price, source.usage(item, span), room - sumOf(lines)),
      price: item.price,
      subscription_item: item.id,
      proration: { ...span, subscription_item: item.id, cycle: period.start, is_usage: true },
    })
  }
  return lines
}

/** Returns the current period of a subscription, as it ends at an instant in Unix seconds. */
export const endedAt = ({ items, current_period_start: start }: Subscription, end: number): EndedPeriod => ({
  items,
  period: { start, end },
})

/** Returns the lines for the usage of a period so far, without ids. */
export const usageLinesSoFar = (source: Omit<UsageSource, 'newId'>, ended: EndedPeriod): InvoiceLine[] =>
  usageLines({ ...source, newId: () => '' }, ended, MAX_AMOUNT)

/** Reports whether an invoice of a period's usage would have anything to bill. */
export const hasUsage = (source: UsageSource, ended: EndedPeriod): boolean =>
  ended.items.some(isMetered) && sumOf(usageLinesSoFar(source, ended)) > 0
