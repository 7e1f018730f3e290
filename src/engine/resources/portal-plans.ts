import type { PortalFeatures } from '../../core/portal-configuration.ts'
import { type Plan, type QuantityRange, quantitiesOf } from '../../core/portal-permissions.ts'
import { meterOf, type Price } from '../../core/price.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { CurrentView } from '../history/view.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/** The prices and products from which plans are found. */
export type Catalog = Pick<CurrentView, 'get' | 'list' | 'summaries'>

/** Returns the prices and products as a unit of work sees them. */
export const catalogOf = (unit: UnitOfWork): Catalog => ({
  get: (kind, id) => unit.get(kind, id),
  list: (kind, filters, page) => unit.store.objects.list(kind, unit.owner, filters, page),
  summaries: (kind, filters, page) => unit.store.objects.summaries(kind, unit.owner, filters, page),
})

type Settings = PortalFeatures['subscription_update']

/** The maximum number of offered prices if a configuration names none. */
const MAX_OFFERED = 100

/** A price that a customer can choose, with the allowed quantities. */
export type Offer = { readonly price: Price; readonly quantities: QuantityRange | null }

/**
 * Returns the prices that a customer can choose for a subscription, the current one included.
 * See docs/contract/customer-portal.md#changing-a-plan.
 */
export function offersFor(catalog: Catalog, subscription: Subscription, settings: Settings): Offer[] {
  const [item] = subscription.items
  const current = item && catalog.get('price', item.price)
  if (!current) return []
  const chosen = settings.default_allowed_updates.includes('price')
    ? listedPrices(catalog, settings).filter((price) => isOffered(catalog, price, subscription))
    : []
  const others = chosen.filter(({ id }) => id !== current.id)
  return [current, ...others].map((price) => ({
    price,
    quantities: quantitiesOf(
      settings,
      settings.products?.find(({ product }) => product === price.product),
    ),
  }))
}

const listedPrices = (catalog: Catalog, { products }: Settings): Price[] =>
  products === null
    ? catalog.list('price', [{ field: 'active', is: 1 }], { limit: MAX_OFFERED })
    : products.flatMap(({ prices }) =>
        prices.flatMap((id) => {
          const price = catalog.get('price', id)
          return price ? [price] : []
        }),
      )

/** Whether a price can replace the one of a subscription's item. */
function isOffered(catalog: Catalog, price: Price, { currency }: Subscription): boolean {
  const product = price.product === null ? undefined : catalog.get('product', price.product)
  return (
    price.active &&
    price.recurring !== null &&
    meterOf(price) === undefined &&
    price.currency === currency &&
    product?.active !== false
  )
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
  const offer = offersFor(catalog, subscription, settings).find(
    (each) => each.price.id === (price ?? item?.price),
  )
  if (!offer)
    return refused('price', `The price '${price}' is not among those that the portal configuration offers.`)
  const before = item?.quantity ?? 1
  const after = quantity ?? before
  if (after !== before) {
    if (!offer.quantities)
      return refused('quantity', 'The portal configuration does not allow other quantities.')
    const { minimum, maximum } = offer.quantities
    if (after < minimum || after > (maximum ?? after))
      return refused(
        'quantity',
        `The quantity must be ${maximum === null ? `at least ${minimum}` : `from ${minimum} to ${maximum}`}.`,
      )
  }
  return { plan: { price: offer.price, quantity: after }, whyNot: null }
}

const refused = (field: 'price' | 'quantity', message: string): FoundPlan => ({
  plan: null,
  whyNot: { field, message },
})
