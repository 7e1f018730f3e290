import type Stripe from 'stripe'
import * as z from 'zod'
import { assert, resourceMissing } from '../../../core/errors.ts'
import { PRORATION_BEHAVIORS } from '../../../core/proration.ts'
import type { Subscription } from '../../../core/subscription.ts'
import { updateSubscription } from '../../../engine/resources/subscription-update.ts'
import type { Call, WriteCall } from '../../api.ts'
import { deferred } from '../../deferred.ts'
import { discountsOf, discountsParam } from '../../discount-params.ts'
import { instant, metadata, quantity, reference } from '../../fields.ts'
import { pageOfRead, pageParams } from '../../pagination.ts'
import { recurringPriceData } from '../../price-params.ts'
import type { StripeApi } from '../api.ts'
import { presentItem } from '../present/subscription.ts'
import { returning, returningList, wireList } from '../returns.ts'
import type { Wire } from '../wire.ts'
import { DEFAULT_PRORATION } from './subscription-params.ts'

const item = returning<Wire<Stripe.SubscriptionItem>>('subscription_item')
const change = {
  proration_behavior: z.enum(PRORATION_BEHAVIORS).default(DEFAULT_PRORATION),
  proration_date: instant.optional(),
  payment_behavior: z.enum(['allow_incomplete', 'error_if_incomplete', 'pending_if_incomplete']).optional(),
}
const fields = {
  price: reference.optional(),
  price_data: recurringPriceData().optional(),
  quantity: quantity.optional(),
  discounts: discountsParam(),
  metadata,
}
const createParams = deferred(() => z.object({ subscription: reference, ...fields, ...change }))
const updateParams = deferred(() => z.object({ ...fields, ...change }))
const deleteParams = deferred(() => z.object(change))

export function subscriptionItemRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/subscription_items',
      summary: 'Lists the items of a subscription.',
      params: deferred(() => z.object({ ...pageParams, subscription: reference })),
      returns: returningList<Wire<Stripe.SubscriptionItem>>('subscription_item'),
    },
    (call) => {
      const { subscription: id } = call.params
      const owner = call.view.get('subscription', id)
      if (!owner) throw resourceMissing('subscription', id, 'subscription')
      return wireList(pageOfRead(call, owner.items, (view, found) => presentItem(view, owner, found)))
    },
  )
  api.read(
    { method: 'get', path: '/v1/subscription_items/:id', summary: 'Retrieves an item.', returns: item },
    (call) => presentedIn(call, ownerOf(call), call.id),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/subscription_items',
      summary: 'Adds an item to a subscription.',
      params: createParams,
      returns: item,
    },
    (call) => {
      const { subscription: id, ...params } = call.params
      const before = call.unit.find('subscription', id, 'subscription')
      const after = updateSubscription(call.unit, id, withItem(params))
      const known = new Set(before.items.map((each) => each.id))
      // An item of a pending update is added once it is paid.
      const items = [...after.items, ...(after.pending_update?.items ?? [])]
      const added = items.find((each) => !known.has(each.id))
      assert(added, 'the item was added, or is pending')
      return presentItem(call.view, after, added)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/subscription_items/:id',
      summary: 'Updates an item.',
      params: updateParams,
      returns: item,
    },
    (call) => presentedIn(call, updateOwner(call, withItem(call.params, call.id)), call.id),
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/subscription_items/:id',
      summary: 'Removes an item from its subscription.',
      params: deleteParams,
      returns: returning<Wire<Stripe.DeletedSubscriptionItem>>('deleted_subscription_item'),
    },
    (call) => {
      updateOwner(call, { ...call.params, items: [{ id: call.id, deleted: true }] })
      return { id: call.id, object: 'subscription_item' as const, deleted: true as const }
    },
  )
}

/** Converts the parameters of a new item, or of the item with an id, to an update of its subscription. */
function withItem(
  {
    price,
    price_data,
    quantity: units,
    discounts,
    metadata: data,
    ...rest
  }: z.infer<ReturnType<typeof updateParams>>,
  id?: string,
): Update {
  const item = { id, price, price_data, quantity: units, metadata: data, discounts: discountsOf(discounts) }
  return { ...rest, items: [item] }
}

type Update = Parameters<typeof updateSubscription>[2]

const updateOwner = <Params>(call: WriteCall<Params>, update: Update): Subscription =>
  updateSubscription(call.unit, ownerOf(call).id, update)

/** Returns the subscription that has an item. @throws ApiError resource_missing */
function ownerOf<Params>({ view, id }: Call<Params>): Subscription {
  const all = view.list('subscription', [{ holdsItem: id }], { limit: 1 })
  const [owner] = all
  if (!owner) throw resourceMissing('subscription item', id)
  return owner
}

function presentedIn<Params>({ view }: Call<Params>, owner: Subscription, id: string) {
  const found = owner.items.find((each) => each.id === id)
  assert(found, `the subscription has the item ${id}`)
  return presentItem(view, owner, found)
}
