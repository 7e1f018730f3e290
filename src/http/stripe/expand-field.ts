import type { BalanceTransaction } from '../../core/balance-transaction.ts'
import { settlementOf } from '../../core/refund.ts'
import type { CurrentView } from '../../engine/history/view.ts'
import { type ExpandField, idsExpandedBy } from '../expand.ts'
import type { Json } from '../json.ts'
import { presentObject } from './objects.ts'
import { presentAccountTransaction, transactionNamed } from './present/balance-transaction.ts'
import { presentPlan, presentTiers } from './present/catalog.ts'
import { presentCoupon } from './present/discount.ts'

/** Expands fields that do not hold ids of paytwin's own objects. */
const SPECIAL: Readonly<Record<string, (view: CurrentView, parent: Json) => unknown>> = {
  applies_to: (view, { object, id }) => (object === 'coupon' ? couponNamed(view, id)?.applies_to : undefined),
  balance_transaction: (view, { balance_transaction }) => transactionOf(view, balance_transaction),
  coupon: (view, { coupon }) => {
    // Older versions show the whole coupon of a discount.
    if (typeof coupon !== 'string') return coupon
    const found = typeof coupon === 'string' ? couponNamed(view, coupon) : undefined
    return found ? presentCoupon(view, found) : coupon
  },
  failure_balance_transaction: (view, { failure_balance_transaction }) =>
    transactionOf(view, failure_balance_transaction),
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

/** Presents the movement of money with an id. Those that a field can name happen when their source is created or settled. */
function transactionOf(view: CurrentView, id: unknown): unknown {
  const found = typeof id === 'string' ? transactionNamed(view, id) : undefined
  return found ? presentAccountTransaction(found, momentOf(found)) : id
}

/** Returns when a refund failed, or the charge or refund was made. */
const momentOf = ({ type, source }: BalanceTransaction): number =>
  type === 'refund_failure' ? settlementOf(source) : source.created

/** Finds the newest coupon with an id of the API, which may be deleted. */
const couponNamed = (view: CurrentView, id: unknown) =>
  view.list('coupon', [{ field: 'public_id', is: String(id) }], { limit: 1 })[0]
