import * as z from 'zod'
import type { Price, Product, Tier } from '../core/price.ts'
import type { View } from '../engine/history/view.ts'
import { createPrice, createProduct, updatePrice, updateProduct } from '../engine/resources/price.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { currency, metadata, optionalText, reference, text } from './fields.ts'
import { createdFilters, createdParam, filtersOf, isOneOf, listObjects, pageParams } from './pagination.ts'
import { createPriceParams, defaultPriceData, requiresOfPrice, updatePriceParams } from './price-params.ts'
import { COST_TEXTS, priceDataTexts } from './price-texts.ts'
import { common, type Resource, retrieve } from './resource.ts'
import {
  type PriceShape,
  type ProductShape,
  priceList,
  priceSchema,
  productList,
  productSchema,
} from './schemas/price.ts'
import { ShownObject } from './shown-object.ts'

const optionalBoolean = deferred(() => z.boolean().optional())
export const createProductParams = deferred(() =>
  z.object({
    name: text.min(1),
    active: optionalBoolean(),
    description: optionalText,
    default_price_data: defaultPriceData().optional(),
    metadata,
  }),
)
const updateProductParams = deferred(() =>
  z.object({
    name: text.min(1).optional(),
    active: optionalBoolean(),
    description: optionalText,
    default_price: reference.nullable().optional(),
    metadata,
  }),
)
const listProductParams = deferred(() =>
  z.object({ ...pageParams, active: optionalBoolean(), created: createdParam() }),
)

const listPriceParams = deferred(() =>
  z.object({
    ...pageParams,
    product: reference.optional(),
    active: optionalBoolean(),
    lookup_key: z.string().optional(),
    lookup_keys: z.array(z.string()).max(100).optional(),
    currency: currency.optional(),
    created: createdParam(),
  }),
)

const activeFilter = (active: boolean | undefined) =>
  active === undefined ? [] : [{ field: 'active', is: active ? 1 : 0 }]

function productRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/products',
      summary: 'Creates a product, and its default price if default_price_data is given.',
      params: createProductParams,
      status: 201,
      returns: productSchema,
    },
    ({ unit, view, params }) => presentProduct(view, createProduct(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/products',
      summary: 'Lists products, newest first.',
      params: listProductParams,
      returns: productList,
    },
    (call) =>
      listObjects(
        call,
        'product',
        [...activeFilter(call.params.active), ...createdFilters(call.params.created)],
        presentProduct,
      ),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/products/:id',
      summary: 'Retrieves a product.',
      returns: productSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'product', id), presentProduct),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/products/:id',
      summary: 'Updates the given fields of a product.',
      params: updateProductParams,
      returns: productSchema,
    },
    ({ unit, view, params, id }) => presentProduct(view, updateProduct(unit, id, params)),
  )
}

function priceRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/prices',
      summary: 'Creates a one-time or recurring price.',
      params: createPriceParams,
      requires: requiresOfPrice,
      status: 201,
      returns: priceSchema,
      errors: { 404: ['resource_missing'] },
    },
    ({ unit, view, params }) => presentPrice(view, createPrice(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/prices',
      summary: 'Lists prices, newest first.',
      params: listPriceParams,
      returns: priceList,
    },
    (call) => {
      const filters = [
        ...isOneOf('lookup_key', call.params.lookup_keys),
        ...activeFilter(call.params.active),
        ...filtersOf(call.params, 'product', 'lookup_key', 'currency'),
      ]
      return listObjects(call, 'price', filters, presentPrice)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/prices/:id',
      summary: 'Retrieves a price.',
      returns: priceSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'price', id), presentPrice),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/prices/:id',
      summary: 'Updates the given fields of a price. Its amount cannot change.',
      params: updatePriceParams,
      returns: priceSchema,
    },
    ({ unit, view, params, id }) => presentPrice(view, updatePrice(unit, id, params)),
  )
}

const presentProduct = (view: View, product: Product): ProductShape => ({
  ...common(view, 'product', product),
  name: product.name,
  active: product.active,
  description: product.description,
  default_price: product.default_price,
  metadata: product.metadata,
})

export const presentPrice = (view: View, price: Price): PriceShape => ({
  id: price.id,
  object: 'price',
  created: price.created,
  livemode: false,
  merchant_id: view.merchant.id,
  active: price.active,
  billing_scheme: price.tiers ? 'tiered' : 'per_unit',
  currency: price.currency,
  lookup_key: price.lookup_key,
  nickname: price.nickname,
  product: price.product,
  recurring: price.recurring && {
    interval: price.recurring.interval,
    interval_count: price.recurring.interval_count,
    usage_type: price.recurring.usage_type ?? 'licensed',
    meter: price.recurring.meter ?? null,
  },
  tiers: price.tiers?.map(presentTier) ?? null,
  tiers_mode: price.tiers_mode,
  transform_quantity: price.transform_quantity,
  type: price.recurring ? 'recurring' : 'one_time',
  unit_amount: price.unit_amount,
  unit_amount_decimal: decimalOf(price.unit_amount, price.unit_amount_decimal),
  metadata: price.metadata,
})

const presentTier = (tier: Tier) => ({
  up_to: tier.up_to,
  unit_amount: tier.unit_amount,
  unit_amount_decimal: decimalOf(tier.unit_amount, tier.unit_amount_decimal),
  flat_amount: tier.flat_amount,
  flat_amount_decimal: decimalOf(tier.flat_amount, tier.flat_amount_decimal),
})

/** Presents an amount in decimal form, a whole amount too. */
const decimalOf = (amount: number | null, decimal: string | null): string | null =>
  amount === null ? decimal : String(amount)

export const productResource: Resource<'product'> = {
  collection: 'products',
  present: presentProduct,
  routes: productRoutes,
  params: {
    active: 'Whether the product is available. Default for a new product: true.',
    default_price: 'The id of a price of the product; null for none.',
    default_price_data: 'A price to create with the product, as its default price.',
    ...priceDataTexts('default_price_data'),
    'default_price_data.recurring': 'The billing interval; without it the price is one-time.',
  },
  queryParams: {
    active: 'true: only available products. false: only the others.',
  },
}

export const priceResource: Resource<'price'> = {
  collection: 'prices',
  present: presentPrice,
  routes: priceRoutes,
  params: {
    active: 'Whether new subscriptions can use the price. Default for a new price: true.',
    ...COST_TEXTS,
    product: 'The id of the product.',
    product_data: 'A product to create for the price, in place of product.',
    'product_data.name': 'The name of the product.',
    'product_data.metadata': 'Keys and values for your own use.',
    recurring: 'The billing interval. Required when the type is recurring.',
    'recurring.interval': 'The unit of the interval.',
    'recurring.interval_count': 'The number of units between two bills.',
    'recurring.usage_type':
      'licensed bills a quantity in advance, metered bills the usage of a period at its end. Default: licensed.',
    'recurring.meter': 'The meter that measures the usage. Required when the usage_type is metered.',
    lookup_keys: 'Only prices with one of these lookup keys.',
    type: 'one_time or recurring. Default: recurring if recurring is set, else one_time.',
  },
  queryParams: {
    active: 'true: only prices that new subscriptions can use. false: only the others.',
    product: 'Only prices of this product.',
  },
}
