import type { BalanceTransaction } from '../../core/balance-transaction.ts'
import type { Coupon } from '../../core/coupon.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import { settlementOf } from '../../core/refund.ts'
import type { CurrentView, Filter, View } from '../../engine/history/view.ts'
import { type ExpandField, idsExpandedBy } from '../expand.ts'
import { internalIdIn } from '../internal-id.ts'
import type { Json } from '../json.ts'
import { equals, page, pageParams } from '../pagination.ts'
import { notCanceledOf } from '../subscription-params.ts'
import { presentObject } from './objects.ts'
import { presentAccountTransaction, transactionNamed } from './present/balance-transaction.ts'
import { presentPlan, presentTiers } from './present/catalog.ts'
import { presentCheckoutLines } from './present/checkout-session.ts'
import { presentCoupon } from './present/discount.ts'
import { presentRefund } from './present/payment.ts'
import { presentSubscription } from './present/subscription.ts'
import { wireList } from './returns.ts'
import type { WireList } from './wire.ts'

/** The fields whose value is not the id of one of paytwin's objects, and how to expand them. */
const SPECIAL: Readonly<Record<string, (view: CurrentView, parent: Json) => unknown>> = {
  applies_to: (view, parent) => couponIn(view, parent)?.applies_to,
  balance_transaction: (view, { balance_transaction }) => transactionOf(view, balance_transaction),
  coupon: (view, parent) => {
    // Older versions show the whole coupon of a discount.
    const found = typeof parent.coupon === 'string' ? couponIn(view, parent) : undefined
    return found ? presentCoupon(view, found) : parent.coupon
  },
  failure_balance_transaction: (view, { failure_balance_transaction }) =>
    transactionOf(view, failure_balance_transaction),
  line_items: (view, { object, id, line_items }) => {
    const session = object === 'checkout.session' ? view.get('checkout_session', String(id)) : undefined
    return line_items ?? (session && presentCheckoutLines(view, session))
  },
  plan: (view, { plan }) => {
    const price = typeof plan === 'string' ? view.get('price', plan) : undefined
    return price ? presentPlan(price) : plan
  },
  // Another path of the same request may already have expanded the list.
  refunds: (view, { object, id, refunds }) =>
    object === 'charge' ? (refunds ?? listRefunds(view, String(id))) : refunds,
  subscriptions: (view, { object, id, subscriptions }) =>
    object === 'customer' ? (subscriptions ?? listSubscriptions(view, String(id))) : subscriptions,
  tiers: (view, { id }) => {
    const price = view.get('price', String(id))
    return price && presentTiers(price)
  },
}

const expandIds = idsExpandedBy(presentObject)

/** Expands a field of an object of Stripe's API. Some fields are shown only if they are expanded. */
export const expandField: ExpandField = (view, parent, field) =>
  Object.hasOwn(SPECIAL, field) ? SPECIAL[field]?.(view, parent) : expandIds(view, parent, field)

const listRefunds = (view: CurrentView, charge: string) =>
  firstOf(
    view,
    'refund',
    { filters: equals('charge', charge), url: `/v1/charges/${charge}/refunds` },
    presentRefund,
  )

const listSubscriptions = (view: CurrentView, customer: string) =>
  firstOf(
    view,
    'subscription',
    { filters: notCanceledOf(customer), url: `/v1/customers/${customer}/subscriptions` },
    presentSubscription,
  )

/** Presents the first page of a list within an object. */
function firstOf<K extends Kind, Entry>(
  view: CurrentView,
  kind: K,
  { filters, url }: { readonly filters: readonly Filter[]; readonly url: string },
  present: (view: View, object: Objects[K]) => Entry,
): WireList<Entry> {
  const limit = pageParams.limit.parse(undefined)
  const { rows, isCut } = view.listPage(kind, filters, { limit: limit + 1 })
  return wireList(page(url, rows, { limit, isBackward: false, isCut }, (object) => present(view, object)))
}

/** Presents the balance transaction with an id. Its time is that of its source's creation or settlement. */
function transactionOf(view: CurrentView, id: unknown): unknown {
  const found = typeof id === 'string' ? transactionNamed(view, id) : undefined
  return found ? presentAccountTransaction(found, momentOf(found)) : id
}

/** Returns when a refund failed, or the charge or refund was made. */
const momentOf = ({ type, source }: BalanceTransaction): number =>
  type === 'refund_failure' ? settlementOf(source) : source.created

/** Returns the coupon that an object is or names, also a deleted one; undefined for none. */
function couponIn(view: CurrentView, parent: Json): Coupon | undefined {
  const id = internalIdIn(parent)
  return id === undefined ? undefined : view.get('coupon', id)
}
