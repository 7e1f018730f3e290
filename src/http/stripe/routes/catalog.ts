import type Stripe from 'stripe'
import * as z from 'zod'
import { createPrice, createProduct, updatePrice, updateProduct } from '../../../engine/resources/price.ts'
import { deferred } from '../../deferred.ts'
import { currency, metadata, optionalText, reference, text } from '../../fields.ts'
import { createdFilters, createdParam, filtersOf, isOneOf, pageParams } from '../../pagination.ts'
import {
  createPriceParams,
  defaultPriceData,
  meteredRecurring,
  requiresOfPrice,
  updatePriceParams,
} from '../../price-params.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { presentPrice, presentProduct } from '../present/catalog.ts'
import { newProductData, productDetails, withProductDetails } from '../product-params.ts'
import { listKind, returning, returningList } from '../returns.ts'
import { searchRoute } from '../search/route.ts'
import { trialDays } from '../trial-params.ts'
import type { Wire } from '../wire.ts'

const product = returning<Wire<Stripe.Product>>('product')
const price = returning<Wire<Stripe.Price>>('price')
const active = deferred(() => z.boolean().optional())

const productParams = deferred(() =>
  z.object({
    name: text.min(1),
    active: active(),
    description: optionalText,
    default_price_data: defaultPriceData().optional(),
    type: z.literal('service').optional(),
    ...productDetails(),
    metadata,
  }),
)
const productUpdate = deferred(() =>
  z.object({
    name: text.min(1).optional(),
    active: active(),
    description: optionalText,
    default_price: reference.nullable().optional(),
    ...productDetails(),
    metadata,
  }),
)
const transfer_lookup_key = deferred(() => z.boolean().default(false))
const priceParams = deferred(() =>
  createPriceParams().safeExtend({
    product_data: newProductData().optional(),
    recurring: meteredRecurring().safeExtend({ trial_period_days: trialDays() }).optional(),
    transfer_lookup_key: transfer_lookup_key(),
  }),
)
const priceUpdate = deferred(() => updatePriceParams().extend({ transfer_lookup_key: transfer_lookup_key() }))
const productList = deferred(() =>
  z.object({
    ...pageParams,
    active: active(),
    ids: z.array(reference).max(100).optional(),
    created: createdParam(),
  }),
)
const priceList = deferred(() =>
  z.object({
    ...pageParams,
    active: active(),
    product: reference.optional(),
    currency: currency.optional(),
    lookup_keys: z.array(z.string()).max(10).optional(),
    type: z.enum(['one_time', 'recurring']).optional(),
    created: createdParam(),
  }),
)

/** Converts the parameter `active` to a filter. */
export const activeFilter = (wanted: boolean | undefined) =>
  wanted === undefined ? [] : [{ field: 'active', is: wanted ? 1 : 0 }]

export function catalogRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/products',
      summary: 'Creates a product.',
      params: productParams,
      returns: product,
    },
    ({ unit, view, params }) => presentProduct(view, createProduct(unit, withProductDetails(params))),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/products',
      summary: 'Lists products.',
      params: productList,
      returns: returningList<Wire<Stripe.Product>>('product'),
    },
    (call) => {
      const { active, created, ids } = call.params
      const filters = [...isOneOf('id', ids), ...activeFilter(active), ...createdFilters(created)]
      return listKind(call, 'product', filters, presentProduct)
    },
  )
  searchRoute(api, { kind: 'product', path: '/v1/products', present: presentProduct })
  api.read(
    { method: 'get', path: '/v1/products/:id', summary: 'Retrieves a product.', returns: product },
    ({ view, id }) => presentProduct(view, retrieve(view, 'product', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/products/:id',
      summary: 'Updates a product.',
      params: productUpdate,
      returns: product,
    },
    ({ unit, view, params, id }) => presentProduct(view, updateProduct(unit, id, withProductDetails(params))),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/prices',
      summary: 'Creates a price.',
      params: priceParams,
      requires: (raw) =>
        raw.product === undefined && raw.product_data === undefined ? 'product' : requiresOfPrice(raw),
      returns: price,
    },
    ({ unit, view, params: { product_data, ...params } }) => {
      const made = createPrice(unit, {
        ...params,
        product_data: product_data && withProductDetails(product_data),
      })
      return presentPrice(view, made)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/prices',
      summary: 'Lists prices.',
      params: priceList,
      returns: returningList<Wire<Stripe.Price>>('price'),
    },
    (call) => {
      const { params } = call
      const filters = [
        ...isOneOf('lookup_key', params.lookup_keys),
        ...(params.type === undefined ? [] : [{ field: 'recurring', isNull: params.type === 'one_time' }]),
        ...activeFilter(params.active),
        ...filtersOf(params, 'product', 'currency'),
      ]
      return listKind(call, 'price', filters, presentPrice)
    },
  )
  searchRoute(api, { kind: 'price', path: '/v1/prices', present: presentPrice })
  api.read(
    { method: 'get', path: '/v1/prices/:id', summary: 'Retrieves a price.', returns: price },
    ({ view, id }) => presentPrice(view, retrieve(view, 'price', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/prices/:id',
      summary: 'Updates a price.',
      params: priceUpdate,
      returns: price,
    },
    ({ unit, view, params, id }) => presentPrice(view, updatePrice(unit, id, params)),
  )
}
