import type { CurrentView } from '../../engine/history/view.ts'
import { type ExpandField, idsExpandedBy } from '../expand.ts'
import type { Json } from '../json.ts'
import { presentObject } from './objects.ts'
import { presentPlan, presentTiers } from './present/catalog.ts'
import { presentCoupon } from './present/discount.ts'

/** Expands fields that do not hold ids of paytwin's own objects. */
const SPECIAL: Readonly<Record<string, (view: CurrentView, parent: Json) => unknown>> = {
  applies_to: (view, { object, id }) => (object === 'coupon' ? couponNamed(view, id)?.applies_to : undefined),
  coupon: (view, { coupon }) => {
    // Older versions show the whole coupon of a discount.
    if (typeof coupon !== 'string') return coupon
    const found = typeof coupon === 'string' ? couponNamed(view, coupon) : undefined
    return found ? presentCoupon(view, found) : coupon
  },
  plan: (view, { plan }) => {
    const price = typeof plan === 'string' ? view.get('price', plan) : undefined
    return price ? presentPlan(price) : plan
  },
  tiers: (view, { id }) => {
    const price = view.get('price', String(id))
    return price && presentTiers(price)
  },
}

const expandIds = idsExpandedBy(presentObject)

/** Expands a field of an object of Stripe's API. Some fields are shown only if they are expanded. */
export const expandField: ExpandField = (view, parent, field) =>
  Object.hasOwn(SPECIAL, field) ? SPECIAL[field]?.(view, parent) : expandIds(view, parent, field)

/** Finds the newest coupon with an id of the API, which may be deleted. */
const couponNamed = (view: CurrentView, id: unknown) =>
  view.list('coupon', [{ field: 'public_id', is: String(id) }], { limit: 1 })[0]
