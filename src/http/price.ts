import * as z from 'zod'
import { INTERVAL_UNITS } from '../core/calendar.ts'
import { MAX_AMOUNT } from '../core/money.ts'
import { isWithinThreeYears, type Price, type Product } from '../core/price.ts'
import { createPrice, createProduct, updatePrice, updateProduct } from '../engine/price.ts'
import type { View } from '../engine/view.ts'
import type { Api } from './api.ts'
import { currency, metadata, optionalText, reference, text } from './fields.ts'
import { createdFilters, createdParam, equals, isOneOf, listObjects, pageParams } from './pagination.ts'
import type { Requires } from './params.ts'
import { common, retrieve } from './resource.ts'
import {
  type PriceShape,
  type ProductShape,
  priceList,
  priceSchema,
  productList,
  productSchema,
} from './schemas/price.ts'
import { ShownObject } from './shown-object.ts'

const optionalBoolean = z.boolean().optional()
export const createProductParams = z.object({
  name: text.min(1),
  active: optionalBoolean,
  description: optionalText,
  metadata,
})
const updateProductParams = z.object({
  name: text.min(1).optional(),
  active: optionalBoolean,
  description: optionalText,
  metadata,
})
const listProductParams = z.object({ ...pageParams, active: optionalBoolean, created: createdParam })

const recurring = z
  .object({ interval: z.enum(INTERVAL_UNITS), interval_count: z.int().min(1).default(1) })
  .refine(isWithinThreeYears, { path: ['interval_count'], error: 'expected an interval of at most 3 years' })
export const createPriceParams = z
  .object({
    unit_amount: z.int().min(0).max(MAX_AMOUNT),
    currency,
    product: reference.optional(),
    type: z.enum(['one_time', 'recurring']).optional(),
    recurring: recurring.optional(),
    nickname: optionalText,
    active: optionalBoolean,
    lookup_key: z.string().max(200).nullable().optional(),
    metadata,
  })
  .refine(({ type, recurring: given }) => type !== 'one_time' || given === undefined, {
    path: ['recurring'],
    error: 'not allowed for a one-time price',
  })
const updatePriceParams = z.object({
  nickname: optionalText,
  active: optionalBoolean,
  lookup_key: z.string().max(200).nullable().optional(),
  metadata,
})
const listPriceParams = z.object({
  ...pageParams,
  product: reference.optional(),
  active: optionalBoolean,
  lookup_key: z.string().optional(),
  lookup_keys: z.array(z.string()).max(100).optional(),
  currency: currency.optional(),
  created: createdParam,
})

/** Requires `recurring` for a recurring price. See docs/contract/customers.md#prices. */
export const requiresRecurring: Requires = (raw) =>
  raw.type === 'recurring' && raw.recurring === undefined ? 'recurring' : undefined

const activeFilter = (active: boolean | undefined) =>
  active === undefined ? [] : [{ field: 'active', is: active ? 1 : 0 }]

export function productRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/products',
      summary: 'Creates a product.',
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
        (product) => presentProduct(call.view, product),
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

export function priceRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/prices',
      summary: 'Creates a one-time or recurring price.',
      params: createPriceParams,
      requires: requiresRecurring,
      status: 201,
      returns: priceSchema,
      errors: { 404: ['resource_missing'] },
    },
    ({ unit, view, params: { type: _, ...params } }) => presentPrice(view, createPrice(unit, params)),
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
      const { product, active, lookup_key, lookup_keys, currency: code, created } = call.params
      const filters = [
        ...equals('product', product),
        ...equals('lookup_key', lookup_key),
        ...isOneOf('lookup_key', lookup_keys),
        ...equals('currency', code),
        ...activeFilter(active),
        ...createdFilters(created),
      ]
      return listObjects(call, 'price', filters, (price) => presentPrice(call.view, price))
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

export const presentProduct = (view: View, product: Product): ProductShape => ({
  ...common(view, 'product', product),
  name: product.name,
  active: product.active,
  description: product.description,
  metadata: product.metadata,
})

export const presentPrice = (view: View, price: Price): PriceShape => ({
  id: price.id,
  object: 'price',
  created: price.created,
  livemode: false,
  merchant_id: view.merchant.id,
  active: price.active,
  currency: price.currency,
  lookup_key: price.lookup_key,
  nickname: price.nickname,
  product: price.product,
  recurring: price.recurring,
  type: price.recurring ? 'recurring' : 'one_time',
  unit_amount: price.unit_amount,
  metadata: price.metadata,
})
