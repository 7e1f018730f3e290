import type { Recurring } from '../core/calendar.ts'
import { Change, type Objects } from '../core/change.ts'
import { type MetadataParam, mergeMetadata } from '../core/metadata.ts'
import type { Price, Product } from '../core/price.ts'
import { apply } from './apply.ts'
import type { UnitOfWork } from './unit.ts'

export type ProductParams = {
  name?: string | undefined
  active?: boolean | undefined
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
}

export function createProduct(unit: UnitOfWork, params: ProductParams & { name: string }): Product {
  const change = new Change()
  const product = change.create(
    'product',
    {
      id: unit.idFor('product'),
      created: unit.now,
      name: params.name,
      active: params.active ?? true,
      description: params.description ?? null,
      metadata: mergeMetadata({}, params.metadata),
    },
    'product.created',
  )
  apply(unit, change)
  return product
}

/** Updates a product. @throws ApiError resource_missing */
export function updateProduct(unit: UnitOfWork, id: string, params: ProductParams): Product {
  const product = unit.find('product', id)
  const after: Product = {
    ...product,
    name: params.name ?? product.name,
    active: params.active ?? product.active,
    description: params.description === undefined ? product.description : params.description,
    metadata: mergeMetadata(product.metadata, params.metadata),
  }
  return updated(unit, 'product', product, after)
}

export type PriceParams = {
  active?: boolean | undefined
  nickname?: string | null | undefined
  lookup_key?: string | null | undefined
  metadata?: MetadataParam | undefined
}

/** Creates a price. @throws ApiError resource_missing, param product */
export function createPrice(
  unit: UnitOfWork,
  params: PriceParams & {
    unit_amount: number
    currency: string
    product?: string | undefined
    recurring?: Recurring | undefined
  },
): Price {
  if (params.product !== undefined) unit.find('product', params.product, 'product')
  const change = new Change()
  const price = change.create(
    'price',
    {
      id: unit.idFor('price'),
      created: unit.now,
      product: params.product ?? null,
      nickname: params.nickname ?? null,
      unit_amount: params.unit_amount,
      currency: params.currency,
      recurring: params.recurring ?? null,
      active: params.active ?? true,
      lookup_key: params.lookup_key ?? null,
      metadata: mergeMetadata({}, params.metadata),
    },
    'price.created',
  )
  apply(unit, change)
  return price
}

/** Updates a price. @throws ApiError resource_missing */
export function updatePrice(unit: UnitOfWork, id: string, params: PriceParams): Price {
  const price = unit.find('price', id)
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
  if (JSON.stringify(before) === JSON.stringify(after)) return before
  const change = new Change()
  change.update(kind, before, () => after, `${kind}.updated`)
  apply(unit, change)
  return after
}
