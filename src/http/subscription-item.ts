import { z } from 'zod'
import type { Subscription, SubscriptionItem } from '../core/subscription.ts'
import type { View } from '../engine/view.ts'
import type { Api } from './api.ts'
import { type List, list, pageOf, pageParams } from './pagination.ts'
import { presentPrice } from './price.ts'
import { retrieve } from './resource.ts'
import { type SubscriptionItemShape, subscriptionItemList } from './schemas/subscription.ts'

const listParams = z.object(pageParams)

/** paytwin: where the `url` of a subscription's items leads, as that of an invoice's lines does. */
export function subscriptionItemRoutes(api: Api): void {
  api.read(
    {
      method: 'get',
      path: '/v1/subscriptions/:id/items',
      summary: 'Lists the items of a subscription, in their order.',
      params: listParams,
      returns: subscriptionItemList,
    },
    ({ c, view, id, params }) => {
      const subscription = retrieve(view, 'subscription', id)
      return pageOf(c.req.path, subscription.items, params, (item) => presentItem(view, subscription, item))
    },
  )
}

/** All items of a subscription, as it shows them itself. */
export const presentItems = (view: View, subscription: Subscription): List<SubscriptionItemShape> =>
  list(
    `/v1/subscriptions/${subscription.id}/items`,
    subscription.items.map((item) => presentItem(view, subscription, item)),
  )

/** An item shows its whole price. See docs/contract/subscriptions.md#items. */
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
    metadata: item.metadata,
  }
}
