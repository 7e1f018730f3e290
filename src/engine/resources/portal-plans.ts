import { MAX_PRICES, MAX_PRODUCTS, type PortalFeatures } from '../../core/portal-configuration.ts'
import { type Plan, type QuantityRange, quantitiesOf } from '../../core/portal-permissions.ts'
import { type BilledPrice, meterOf, type PriceTerms, type Product } from '../../core/price.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { CurrentView, Filter, Summary } from '../history/view.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/** The prices and products from which plans are found. */
export type Catalog = Pick<CurrentView, 'withoutMetadata' | 'summaries'>

/** Returns the prices and products as a unit of work sees them. */
export const catalogOf = (unit: UnitOfWork): Catalog => ({
  withoutMetadata: (kind, id) => unit.store.objects.withoutMetadata(kind, unit.owner, id),
  summaries: (kind, filters, page, nested) =>
    unit.store.objects.summaries(kind, unit.owner, filters, page, nested),
})

type Settings = PortalFeatures['subscription_update']

/** The maximum number of offered prices if a configuration names none. */
const MAX_OFFERED = 100

/** A price that a customer can choose, with its product and the allowed quantities. */
export type Offer = {
  readonly price: PriceTerms
  readonly product: Summary<Product> | undefined
  readonly quantities: QuantityRange | null
}

/**
 * Returns the prices that a customer can choose for a subscription, the current one included. Tiers and metadata are not read: a
 * thousand prices can have 150 MB of them.
 * See docs/contract/customer-portal.md#changing-a-plan.
 */
export function offersFor(catalog: Catalog, subscription: Subscription, settings: Settings): Offer[] {
  const [item] = subscription.items
  const current = item && catalog.withoutMetadata('price', item.price)
  if (!current) return []
  const listed = settings.default_allowed_updates.includes('price') ? listedPrices(catalog, settings) : []
  const productOf = productsOf(catalog, [current, ...listed])
  const others = listed.filter(
    (price) => price.id !== current.id && isOffered(price, productOf(price), subscription),
  )
  return [current, ...others].map((price) => ({
    price,
    product: productOf(price),
    quantities: quantitiesFor(price, settings),
  }))
}

/** Lists the prices of the configuration in its order, or else the newest active ones. */
function listedPrices(catalog: Catalog, { products }: Settings): PriceTerms[] {
  const list = (filter: Filter, limit: number) =>
    catalog.summaries('price', [filter], { limit }, ['recurring', 'transform_quantity'])
  if (products === null) return list({ field: 'active', is: 1 }, MAX_OFFERED)
  const ids = products.flatMap(({ prices }) => prices)
  const found = list({ field: 'id', isIn: ids }, MAX_PRODUCTS * MAX_PRICES)
  const byId = new Map(found.map((price) => [price.id, price]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Reads the products of prices together. @returns a function that finds the one of a price */
function productsOf(catalog: Catalog, prices: readonly PriceTerms[]) {
  const isIn = [...new Set(prices.flatMap(({ product }) => product ?? []))]
  const found = catalog.summaries('product', [{ field: 'id', isIn }], { limit: MAX_OFFERED + 1 })
  const byId = new Map(found.map((product) => [product.id, product]))
  return ({ product }: PriceTerms) => (product === null ? undefined : byId.get(product))
}

/** Whether a price can replace the one of a subscription's item. */
const isOffered = (
  price: PriceTerms,
  product: Pick<Product, 'active'> | undefined,
  { currency }: Subscription,
): boolean =>
  price.active &&
  price.recurring !== null &&
  meterOf(price) === undefined &&
  price.currency === currency &&
  product?.active !== false

const quantitiesFor = ({ product: id }: PriceTerms, settings: Settings): QuantityRange | null =>
  quantitiesOf(
    settings,
    settings.products?.find(({ product }) => product === id),
  )

/** Returns a price that a customer can choose; undefined if the portal does not offer it. */
function offeredPrice(
  catalog: Catalog,
  id: string,
  subscription: Subscription,
  { default_allowed_updates, products }: Settings,
): BilledPrice | undefined {
  if (subscription.items[0]?.price === id) return catalog.withoutMetadata('price', id)
  const isListed = products?.some(({ prices }) => prices.includes(id)) ?? true
  if (!default_allowed_updates.includes('price') || !isListed) return undefined
  const price = catalog.withoutMetadata('price', id)
  return price && isOffered(price, productsOf(catalog, [price])(price), subscription) ? price : undefined
}

/** A chosen plan, or why it cannot be chosen. */
export type FoundPlan =
  | { readonly plan: Plan; readonly whyNot: null }
  | {
      readonly plan: null
      readonly whyNot: { readonly field: 'price' | 'quantity'; readonly message: string }
    }

/** Checks the price and the quantity that a customer chooses. null keeps the current one. */
export function findPlan(
  catalog: Catalog,
  subscription: Subscription,
  settings: Settings,
  { price, quantity }: { readonly price: string | null; readonly quantity: number | null },
): FoundPlan {
  const [item] = subscription.items
  const chosen = price ?? item?.price
  const offered = chosen && offeredPrice(catalog, chosen, subscription, settings)
  if (!offered)
    return refused('price', `The price '${price}' is not among those that the portal configuration offers.`)
  const before = item?.quantity ?? 1
  const after = quantity ?? before
  if (after !== before) {
    const quantities = quantitiesFor(offered, settings)
    if (!quantities) return refused('quantity', 'The portal configuration does not allow other quantities.')
    const { minimum, maximum } = quantities
    if (after < minimum || after > (maximum ?? after))
      return refused(
        'quantity',
        `The quantity must be ${maximum === null ? `at least ${minimum}` : `from ${minimum} to ${maximum}`}.`,
      )
  }
  return { plan: { price: offered, quantity: after }, whyNot: null }
}

const refused = (field: 'price' | 'quantity', message: string): FoundPlan => ({
  plan: null,
  whyNot: { field, message },
})
