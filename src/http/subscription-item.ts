import * as z from 'zod'
import type { Subscription, SubscriptionItem } from '../core/subscription.ts'
import type { View } from '../engine/history/view.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { type List, list, pageOfRead, pageParams } from './pagination.ts'
import { presentPrice } from './price.ts'
import { retrieve } from './resource.ts'
import {
  type SubscriptionItemShape,
  type SubscriptionShape,
  subscriptionItemList,
} from './schemas/subscription.ts'

const listParams = deferred(() => z.object(pageParams))

/** Registers the route of a subscription's items. paytwin: the `url` of the list `items` points to it. */
export function subscriptionItemRoutes(api: Api): void {
  api.read(
    {
      method: 'get',
      path: '/v1/subscriptions/:id/items',
      summary: 'Lists the items of a subscription, in subscription order.',
      params: listParams,
      returns: subscriptionItemList,
    },
    (call) => {
      const subscription = retrieve(call.view, 'subscription', call.id)
      return pageOfRead(call, subscription.items, (view, item) => presentItem(view, subscription, item))
    },
  )
}

/** Presents the items of a subscription as the list in the field `items`. */
export const presentItems = (view: View, subscription: Subscription): List<SubscriptionItemShape> =>
  list(
    `/v1/subscriptions/${subscription.id}/items`,
    subscription.items.map((item) => presentItem(view, subscription, item)),
  )

/** Presents the update of a subscription that waits for its payment. See docs/contract/proration.md#pending-updates. */
export function presentPendingUpdate(
  view: View,
  subscription: Subscription,
): SubscriptionShape['pending_update'] {
  const { pending_update } = subscription
  return (
    pending_update && {
      billing_cycle_anchor: pending_update.period?.start ?? null,
      expires_at: pending_update.expires_at,
      subscription_items: pending_update.items.map((item) => presentItem(view, subscription, item)),
      trial_end: null,
    }
  )
}

/** Presents an item, with its price as an object. See docs/contract/subscriptions.md#items. */
function presentItem(view: View, { id }: Subscription, item: SubscriptionItem): SubscriptionItemShape {
  const price = view.get('price', item.price)
  return {
    id: item.id,
    object: 'subscription_item',
    created: item.created,
    livemode: false,
    merchant_id: view.merchant.id,
    subscription: id,
    price: price ? presentPrice(view, price) : null,
    quantity: item.quantity,
    discounts: [...(item.discounts ?? [])],
    metadata: item.metadata,
  }
}
