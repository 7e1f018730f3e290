import type { AdjustableQuantity, CheckoutLine, CheckoutMode } from '../../core/checkout-session.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { meterOf, type Price } from '../../core/price.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { createItemPrice, createProduct, type NewProductParams, type PriceData } from './price.ts'

export type CheckoutLineParams = {
  price?: string | undefined
  price_data?:
    | (PriceData & {
        product?: string | undefined
        product_data?: NewProductParams | undefined
      })
    | undefined
  quantity?: number | undefined
  /** undefined if the customer cannot change the quantity. */
  adjustable?: Partial<AdjustableQuantity> | undefined
  metadata?: MetadataParam | undefined
}

const DEFAULT_MAXIMUM = 99

/**
 * Creates the lines of a session, and the prices that they describe. Their amounts are computed later.
 * @throws ApiError resource_missing, parameter_invalid, such as param line_items[0][price]
 */
export const linesOf = (unit: UnitOfWork, params: readonly CheckoutLineParams[]): CheckoutLine[] =>
  params.map((given, index) => {
    const name = `line_items[${index}]`
    const price = priceOfLine(unit, given, name)
    const quantity = quantityOf(price, given, name)
    return {
      id: unit.newId('li'),
      price: price.id,
      quantity,
      adjustable: given.adjustable ? adjustableWithin(given.adjustable, quantity, name) : null,
      metadata: mergeMetadata({}, given.metadata),
      amount_subtotal: 0,
      amount_discount: 0,
    }
  })

function priceOfLine(unit: UnitOfWork, { price, price_data }: CheckoutLineParams, name: string): Price {
  if (!price_data) {
    const found = unit.find('price', price ?? '', `${name}[price]`)
    if (found.active) return found
    throw parameterInvalid(
      `${name}[price]`,
      'The price specified is inactive. This field only accepts active prices.',
    )
  }
  const { product_data, product, ...data } = price_data
  const made = product_data ? createProduct(unit, product_data).id : product
  return createItemPrice(unit, { ...data, product: made ?? '' }, `${name}[price_data]`)
}

/** @throws ApiError parameter_invalid for a missing quantity, or one of a metered price */
function quantityOf(price: Price, { quantity }: CheckoutLineParams, name: string): number | null {
  const isMetered = meterOf(price) !== undefined
  if (isMetered && quantity !== undefined)
    throw parameterInvalid(
      `${name}[quantity]`,
      'Quantity should not be specified where the price has usage_type=metered',
    )
  if (isMetered) return null
  if (quantity === undefined)
    throw parameterInvalid(
      `${name}[quantity]`,
      'Quantity is required. Add `quantity` to this entry of `line_items`.',
    )
  return quantity
}

/** Returns the limits of a quantity. By default they are 0 and 99, as on Stripe's page. */
function adjustableWithin(
  { minimum = 0, maximum = DEFAULT_MAXIMUM }: Partial<AdjustableQuantity>,
  quantity: number | null,
  name: string,
): AdjustableQuantity {
  const at = `${name}[adjustable_quantity]`
  if (quantity === null) throw parameterInvalid(at, 'A metered price has no quantity that can be adjusted')
  if (minimum > maximum)
    throw parameterInvalid(`${at}[minimum]`, `minimum must be at most maximum, ${maximum}`)
  if (quantity < minimum || quantity > maximum)
    throw parameterInvalid(`${name}[quantity]`, `The quantity must be from ${minimum} to ${maximum}`)
  return { minimum, maximum }
}

/**
 * Checks that a mode can sell lines.
 * @throws ApiError parameter_invalid
 */
export function checkLines(unit: UnitOfWork, mode: CheckoutMode, lines: readonly CheckoutLine[]): void {
  const prices = lines.map(({ price }) => unit.needWithoutMetadata('price', price))
  if (mode === 'setup' && lines.length > 0)
    throw parameterInvalid('line_items', 'You can not pass `line_items` in `setup` mode.')
  if (mode !== 'setup' && lines.length === 0)
    throw parameterInvalid('line_items', `You must pass line_items in \`${mode}\` mode.`)
  if (mode === 'payment' && prices.some(({ recurring }) => recurring))
    throw parameterInvalid(
      'mode',
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
    )
  if (mode !== 'subscription') return
  if (!prices.some(({ recurring }) => recurring))
    throw parameterInvalid(
      'line_items',
      'You must provide at least one recurring price in `subscription` mode when using prices.',
    )
  const repeated = prices.findIndex(({ id }, index) => prices.findIndex((other) => other.id === id) < index)
  if (repeated !== -1)
    throw parameterInvalid(
      `line_items[${repeated}][price]`,
      'The price is in line_items already; use its quantity instead',
    )
}

/** Returns the currency of all lines; the given one without lines. @throws ApiError parameter_invalid */
export function currencyOfLines(
  unit: UnitOfWork,
  lines: readonly CheckoutLine[],
  given: string | undefined,
): string | null {
  const [first, ...others] = lines.map(({ price }) => unit.needWithoutMetadata('price', price))
  if (!first) return given ?? null
  const { currency } = first
  if (given !== undefined && given !== currency)
    throw parameterInvalid('currency', `The prices of line_items are in ${currency}, not in ${given}`)
  const other = others.findIndex((price) => price.currency !== currency)
  const found = others[other]
  if (found)
    throw parameterInvalid(
      `line_items[${other + 1}][price]`,
      `All prices must be in one currency: ${first.id} is in ${currency}, and ${found.id} in ${found.currency}`,
    )
  return currency
}
