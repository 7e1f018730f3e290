import type { Recurring } from '../../core/calendar.ts'
import { Change } from '../../core/change.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { isSameJson } from '../../core/json-text.ts'
import type { Objects } from '../../core/kinds.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { isActive } from '../../core/meter.ts'
import {
  NO_PRODUCT_DETAILS,
  type Price,
  type PriceRecurring,
  type Product,
  type ProductDetails,
  type Tier,
  type TiersMode,
  type TransformQuantity,
} from '../../core/price.ts'
import { normalDecimal, wholeAmount } from '../../core/price-amount.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'

export type ProductParams = {
  name?: string | undefined
  active?: boolean | undefined
  description?: string | null | undefined
  default_price?: string | null | undefined
  metadata?: MetadataParam | undefined
  /** The changed details. */
  details?: Partial<ProductDetails> | undefined
}

/** One of the two forms of an amount. */
type AmountParams = { unit_amount?: number | undefined; unit_amount_decimal?: string | undefined }

type TierParams = AmountParams & {
  up_to: number | 'inf'
  flat_amount?: number | undefined
  flat_amount_decimal?: string | undefined
}

/** The interval of a recurring price, and the meter of a metered one. */
type RecurringParams = Recurring & {
  usage_type?: 'licensed' | 'metered' | undefined
  meter?: string | undefined
  trial_period_days?: number | undefined
}

/** A price that is created together with another object. */
export type PriceData = AmountParams & {
  currency: string
  recurring?: RecurringParams | undefined
  metadata?: MetadataParam | undefined
}

/** A price of a product that is created for one item. */
export type ItemPriceData = PriceData & { product: string }

export type PriceParams = {
  active?: boolean | undefined
  nickname?: string | null | undefined
  lookup_key?: string | null | undefined
  /** Whether the lookup key moves from the price that has it, if keys are unique; false by default. */
  transfer_lookup_key?: boolean | undefined
  metadata?: MetadataParam | undefined
}

/** A product that is created together with its price. */
export type NewProductParams = ProductParams & { name: string }

export type NewPriceParams = PriceParams &
  PriceData & {
    product?: string | undefined
    product_data?: NewProductParams | undefined
    tiers_mode?: TiersMode | undefined
    tiers?: readonly TierParams[] | undefined
    transform_quantity?: TransformQuantity | undefined
  }

/** Creates a product, and its default price if `default_price_data` is given. */
export function createProduct(
  unit: UnitOfWork,
  params: NewProductParams & { default_price_data?: PriceData | undefined },
): Product {
  const change = new Change()
  const id = unit.idFor('product')
  const price = params.default_price_data && priceOf(unit, { ...params.default_price_data, product: id })
  const product = change.create(
    'product',
    {
      id,
      created: unit.now,
      name: params.name,
      active: params.active ?? true,
      description: params.description ?? null,
      default_price: price?.id ?? null,
      metadata: mergeMetadata({}, params.metadata),
      details: withDetails(null, params.details),
    },
    'product.created',
  )
  if (price) change.create('price', price, 'price.created')
  apply(unit, change)
  return product
}

/** Updates a product. @throws ApiError resource_missing; parameter_invalid, param default_price */
export function updateProduct(unit: UnitOfWork, id: string, params: ProductParams): Product {
  const product = unit.find('product', id)
  if (typeof params.default_price === 'string') {
    const price = unit.find('price', params.default_price, 'default_price')
    if (price.product !== id)
      throw parameterInvalid('default_price', `The price '${price.id}' is not a price of this product`)
  }
  const after: Product = {
    ...product,
    name: params.name ?? product.name,
    active: params.active ?? product.active,
    description: params.description === undefined ? product.description : params.description,
    default_price: params.default_price === undefined ? product.default_price : params.default_price,
    metadata: mergeMetadata(product.metadata, params.metadata),
    details: withDetails(product.details, params.details),
  }
  return updated(unit, 'product', product, after)
}

/** Changes the given details. */
const withDetails = (
  known: ProductDetails | null,
  given: Partial<ProductDetails> = {},
): ProductDetails | null =>
  Object.keys(given).length === 0 ? known : { ...(known ?? NO_PRODUCT_DETAILS), ...given }

/**
 * Creates a price, and its product if `product_data` is given.
 * @throws ApiError resource_missing, param product or recurring[meter]; parameter_invalid for an inactive meter, and as claimLookupKey
 */
export function createPrice(unit: UnitOfWork, params: NewPriceParams): Price {
  const { product_data } = params
  claimLookupKey(unit, params)
  if (params.product !== undefined) unit.find('product', params.product, 'product')
  checkMeter(unit, params.recurring)
  const product = product_data ? createProduct(unit, product_data).id : params.product
  return created(unit, priceOf(unit, { ...params, product }))
}

/** @throws ApiError resource_missing, parameter_invalid, param recurring[meter] */
function checkMeter(unit: UnitOfWork, recurring: RecurringParams | undefined): void {
  if (recurring?.meter === undefined) return
  const meter = unit.find('billing_meter', recurring.meter, METER)
  if (!isActive(meter)) throw parameterInvalid(METER, `The meter '${meter.id}' is inactive; reactivate it`)
}

const METER = 'recurring[meter]'

/**
 * Creates the price of one item. It is inactive, so that nothing else can use it.
 * @param name - the name of the parameter, for errors
 * @throws ApiError resource_missing
 * See docs/contract/customers.md#prices-of-one-item.
 */
export function createItemPrice(unit: UnitOfWork, given: ItemPriceData, name: string): Price {
  unit.find('product', given.product, `${name}[product]`)
  return created(unit, { ...priceOf(unit, given), active: false })
}

function created(unit: UnitOfWork, price: Price): Price {
  const change = new Change()
  change.create('price', price, 'price.created')
  apply(unit, change)
  return price
}

/** Builds a price, without storing it. */
const priceOf = (unit: UnitOfWork, params: NewPriceParams): Price => ({
  id: unit.idFor('price'),
  created: unit.now,
  product: params.product ?? null,
  nickname: params.nickname ?? null,
  ...unitAmountOf(params),
  tiers_mode: params.tiers_mode ?? null,
  tiers: params.tiers?.map(tierOf) ?? null,
  transform_quantity: params.transform_quantity ?? null,
  currency: params.currency,
  recurring: params.recurring ? recurringOf(params.recurring) : null,
  active: params.active ?? true,
  lookup_key: params.lookup_key ?? null,
  metadata: mergeMetadata({}, params.metadata),
})

const recurringOf = (given: RecurringParams): PriceRecurring => ({
  interval: given.interval,
  interval_count: given.interval_count,
  ...(given.meter !== undefined && { usage_type: 'metered', meter: given.meter }),
  ...(given.trial_period_days && { trial_period_days: given.trial_period_days }),
})

/** Converts an amount to the fields of a price: `20.0` is the whole amount 20. */
function unitAmountOf({ unit_amount, unit_amount_decimal }: AmountParams) {
  if (unit_amount_decimal === undefined)
    return { unit_amount: unit_amount ?? null, unit_amount_decimal: null }
  const decimal = normalDecimal(unit_amount_decimal)
  const whole = wholeAmount(decimal)
  return { unit_amount: whole, unit_amount_decimal: whole === null ? decimal : null }
}

function tierOf({ up_to, flat_amount, flat_amount_decimal, ...unitAmount }: TierParams): Tier {
  const unit = unitAmountOf(unitAmount)
  const flat = unitAmountOf({ unit_amount: flat_amount, unit_amount_decimal: flat_amount_decimal })
  return {
    up_to: up_to === 'inf' ? null : up_to,
    ...unit,
    flat_amount: flat.unit_amount,
    flat_amount_decimal: flat.unit_amount_decimal,
  }
}

/**
 * paytwin: the maximum number of prices from which a lookup key is taken in one step. Only data of an older version has several prices
 * with a key that must be unique.
 */
const MAX_TRANSFERS = 100

/**
 * Makes sure that no other price has a lookup key, if keys are unique.
 * @param price - the price that is to have the key; absent for a new one
 * @throws ApiError parameter_invalid, param lookup_key, if another price has it and it is not transferred, or too many have it
 * See docs/contract/customers.md#lookup-keys.
 */
function claimLookupKey(
  unit: UnitOfWork,
  { lookup_key: key, transfer_lookup_key: transfers = false }: PriceParams,
  price?: string,
): void {
  if (key === null || key === undefined || !unit.rules.hasUniqueLookupKeys) return
  const holders = unit.store.objects
    // One may be the price itself, and one more shows that there are too many.
    .ids('price', unit.owner, [{ field: 'lookup_key', is: key }], { limit: MAX_TRANSFERS + 2 })
    .filter((id) => id !== price)
  const refuse = (message: string) => parameterInvalid('lookup_key', message)
  if (holders.length > 0 && !transfers)
    throw refuse(
      `The price '${holders[0]}' has the lookup key '${key}', which belongs to one price. In Stripe's API, transfer_lookup_key=true moves it`,
    )
  if (holders.length > MAX_TRANSFERS)
    throw refuse(
      `More than ${MAX_TRANSFERS} prices have the lookup key '${key}', too many to move it. Remove it from them first`,
    )
  for (const id of holders) updatePrice(unit, id, { lookup_key: null })
}

/** Updates a price. @throws ApiError resource_missing, and as claimLookupKey */
export function updatePrice(unit: UnitOfWork, id: string, params: PriceParams): Price {
  const price = unit.find('price', id)
  claimLookupKey(unit, params, id)
  const after: Price = {
    ...price,
    active: params.active ?? price.active,
    nickname: params.nickname === undefined ? price.nickname : params.nickname,
    lookup_key: params.lookup_key === undefined ? price.lookup_key : params.lookup_key,
    metadata: mergeMetadata(price.metadata, params.metadata),
  }
  return updated(unit, 'price', price, after)
}

/** Writes an update and its event, unless nothing changed. */
function updated<K extends 'product' | 'price'>(
  unit: UnitOfWork,
  kind: K,
  before: Objects[K],
  after: Objects[K],
): Objects[K] {
  if (isSameJson(before, after)) return before
  const change = new Change()
  change.update(kind, before, () => after, `${kind}.updated`)
  apply(unit, change)
  return after
}
