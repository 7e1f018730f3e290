import type { Customer } from '../../core/customer.ts'
import { parameterInvalid, parameterMissing } from '../../core/errors.ts'
import { type InvoiceItem, itemAmount } from '../../core/invoice-item.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { fixedPricing, fixedUnitAmount, type Pricing } from '../../core/price-amount.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { createItemPrice, type ItemPriceData } from './price.ts'

/** The parameters of a new item that decide its amount. */
export type CostParams = {
  amount?: number | undefined
  currency?: string | undefined
  price?: string | undefined
  price_data?: ItemPriceData | undefined
  quantity: number
}

/** Further parameters of a new item. */
export type ItemTexts = {
  description?: string | null | undefined
  discountable?: boolean | undefined
  metadata?: MetadataParam | undefined
}

/** The cost of an item: an amount in a currency, or a price with its name for descriptions. */
export type Cost = {
  readonly pricing: Pricing
  readonly currency: string
  readonly price: string | null
  readonly name: string | null
}

/** Returns the amount and currency of the parameters; null when they have a price instead. */
export function costGiven({ amount, currency, price, price_data }: CostParams): Cost | null {
  if (price !== undefined || price_data !== undefined) {
    const other = price === undefined ? 'price_data' : 'price'
    if (amount !== undefined) throw parameterInvalid('amount', `Give amount or ${other}, not both`)
    return null
  }
  if (amount === undefined) throw parameterMissing('amount')
  if (currency === undefined) throw parameterMissing('currency')
  return { pricing: fixedPricing(amount), currency, price: null, name: null }
}

/** Returns the cost of an item with a one-time price. @throws ApiError resource_missing, parameter_invalid */
export function oneTimePrice(
  unit: UnitOfWork,
  { price: id = '', price_data, currency }: Omit<CostParams, 'amount' | 'quantity'>,
): Cost {
  const price = price_data ? createItemPrice(unit, price_data, 'price_data') : unit.find('price', id, 'price')
  if (price.recurring)
    throw parameterInvalid('price', `The price '${id}' is recurring; an invoice item needs a one-time price`)
  if (currency !== undefined && currency !== price.currency) {
    throw parameterInvalid('currency', `The price '${price.id}' is in ${price.currency}`)
  }
  return { pricing: price, currency: price.currency, price: price.id, name: price.nickname ?? price.id }
}

/** Returns an item that is not stored yet. @throws ApiError amount_too_large */
export function newInvoiceItem(
  unit: UnitOfWork,
  params: ItemTexts & Pick<CostParams, 'quantity'>,
  { customer, cost, ...given }: NewInvoiceItem,
): InvoiceItem {
  const unit_amount = fixedUnitAmount(cost.pricing)
  const amount = itemAmount(cost.pricing, params.quantity)
  checkReducible(amount, { discountable: params.discountable, discounts: given.discounts })
  return {
    id: given.id,
    created: unit.clockOf(customer.test_clock).instant,
    customer: customer.id,
    currency: cost.currency,
    amount,
    unit_amount,
    quantity: params.quantity,
    price: cost.price,
    // Without an amount for one unit to show, a line shows the name of the price.
    description: params.description ?? (unit_amount === null ? cost.name : null),
    invoice: given.invoice,
    subscription: given.subscription,
    billed_with: given.invoice === null ? given.subscription : null,
    proration: null,
    discountable: params.discountable ?? amount >= 0,
    discounts: given.discounts,
    metadata: mergeMetadata({}, params.metadata),
    test_clock: customer.test_clock,
    deleted: false,
  }
}

/**
 * Checks that discounts can reduce an item if its request wants them to.
 * @throws ApiError parameter_invalid, param discountable or discounts, for a negative amount
 */
export function checkReducible(
  amount: number,
  {
    discountable,
    discounts,
  }: { discountable?: boolean | undefined; discounts?: readonly unknown[] | undefined },
): void {
  const isReduced = discountable === true ? 'discountable' : discounts?.length ? 'discounts' : undefined
  if (amount < 0 && isReduced)
    throw parameterInvalid(isReduced, 'Discounts cannot reduce an item with a negative amount')
}

type NewInvoiceItem = Pick<InvoiceItem, 'id' | 'invoice' | 'subscription' | 'discounts'> & {
  readonly customer: Customer
  readonly cost: Cost
}
