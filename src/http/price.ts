import { z } from 'zod'
import { MAX_AMOUNT } from '../core/money.ts'
import { isWithinThreeYears, type Price, type Product } from '../core/price.ts'
import { createPrice, createProduct, updatePrice, updateProduct } from '../engine/price.ts'
import type { View } from '../engine/view.ts'
import type { Api } from './api.ts'
import { currency, metadata, metadataUpdate, optionalText, reference, text } from './fields.ts'
import type { Json } from './json.ts'
import { createdFilters, createdParam, equals, listObjects, pageParams } from './pagination.ts'
import { common, retrieve } from './resource.ts'

const isTrue = z.boolean().optional()
const createProductParams = z.object({
  name: text.min(1),
  active: isTrue,
  description: optionalText,
  metadata: metadata.optional(),
})
const updateProductParams = z.object({
  name: text.min(1).optional(),
  active: isTrue,
  description: optionalText,
  metadata: metadataUpdate,
})
const listProductParams = z.object({ ...pageParams, active: isTrue, created: createdParam })

const recurring = z
  .object({ interval: z.enum(['day', 'week', 'month', 'year']), interval_count: z.int().min(1).default(1) })
  .refine(isWithinThreeYears, { path: ['interval_count'], error: 'expected an interval of at most 3 years' })
const createPriceParams = z.object({
  unit_amount: z.int().min(0).max(MAX_AMOUNT),
  currency,
  product: reference.optional(),
  type: z.enum(['one_time', 'recurring']).optional(),
  recurring: recurring.optional(),
  nickname: optionalText,
  active: isTrue,
  lookup_key: z.string().max(200).nullable().optional(),
  metadata: metadata.optional(),
})
const updatePriceParams = z.object({
  nickname: optionalText,
  active: isTrue,
  lookup_key: z.string().max(200).nullable().optional(),
  metadata: metadataUpdate,
})
const listPriceParams = z.object({
  ...pageParams,
  product: reference.optional(),
  active: isTrue,
  lookup_key: z.string().optional(),
  currency: currency.optional(),
  created: createdParam,
})

const activeFilter = (active: boolean | undefined) =>
  active === undefined ? [] : [{ field: 'active', is: active ? 1 : 0 }]

/** Source: decisions.md 3. */
export function productRoutes(api: Api): void {
  api.write(
    { method: 'post', path: '/v1/products', params: createProductParams, status: 201 },
    ({ unit, view, params }) => presentProduct(view, createProduct(unit, params)),
  )
  api.read({ method: 'get', path: '/v1/products', params: listProductParams }, (call) =>
    listObjects(
      call,
      'product',
      [...activeFilter(call.params.active), ...createdFilters(call.params.created)],
      (product) => presentProduct(call.view, product),
    ),
  )
  api.read({ method: 'get', path: '/v1/products/:id' }, ({ view, id }) =>
    presentProduct(view, retrieve(view, 'product', id)),
  )
  api.write(
    { method: 'post', path: '/v1/products/:id', params: updateProductParams },
    ({ unit, view, params, id }) => presentProduct(view, updateProduct(unit, id, params)),
  )
}

/** Source: decisions.md 3. */
export function priceRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/prices',
      params: createPriceParams,
      requires: (raw) => (raw.type === 'recurring' && raw.recurring === undefined ? 'recurring' : undefined),
      status: 201,
    },
    ({ unit, view, params: { type, recurring: given, ...params } }) =>
      presentPrice(
        view,
        createPrice(unit, { ...params, recurring: type === 'one_time' ? undefined : given }),
      ),
  )
  api.read({ method: 'get', path: '/v1/prices', params: listPriceParams }, (call) => {
    const { product, active, lookup_key, currency: code, created } = call.params
    const filters = [
      ...equals('product', product),
      ...equals('lookup_key', lookup_key),
      ...equals('currency', code),
      ...activeFilter(active),
      ...createdFilters(created),
    ]
    return listObjects(call, 'price', filters, (price) => presentPrice(call.view, price))
  })
  api.read({ method: 'get', path: '/v1/prices/:id' }, ({ view, id }) =>
    presentPrice(view, retrieve(view, 'price', id)),
  )
  api.write(
    { method: 'post', path: '/v1/prices/:id', params: updatePriceParams },
    ({ unit, view, params, id }) => presentPrice(view, updatePrice(unit, id, params)),
  )
}

/** Source: decisions.md 3. */
export const presentProduct = (view: View, product: Product): Json => ({
  ...common(view, 'product', product),
  name: product.name,
  active: product.active,
  description: product.description,
  metadata: product.metadata,
})

/** Source: decisions.md 3. */
export const presentPrice = (view: View, price: Price): Json => ({
  ...common(view, 'price', price),
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
