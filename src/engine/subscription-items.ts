import { parameterInvalid, parameterMissing, resourceMissing } from '../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../core/metadata.ts'
import { lineAmount, total } from '../core/money.ts'
import type { Price } from '../core/price.ts'
import { MAX_ITEMS, type Prices, type Subscription, type SubscriptionItem } from '../core/subscription.ts'
import type { UnitOfWork } from './unit.ts'

export type ItemParams = { price: string; quantity: number; metadata?: MetadataParam | undefined }

/** A change of the items: with an id it updates that item, without one it adds an item. */
export type ItemUpdate = {
  id?: string | undefined
  price?: string | undefined
  quantity?: number | undefined
  deleted?: boolean | undefined
  metadata?: MetadataParam | undefined
}

export const newItem = (
  unit: UnitOfWork,
  { price, quantity, metadata }: ItemParams,
  created: number,
): SubscriptionItem => ({
  id: unit.newId('si'),
  created,
  price,
  quantity,
  metadata: mergeMetadata({}, metadata),
})

/** Finds the prices of items. @throws ApiError resource_missing, param items[n][price] */
export const pricesOf = (unit: UnitOfWork, items: readonly { readonly price: string }[]): Prices =>
  new Map(items.map(({ price }, index) => [price, unit.find('price', price, `items[${index}][price]`)]))

/**
 * Checks the items of a subscription.
 * @param at - the index of each item in the parameters, for errors
 * @throws ApiError parameter_invalid for a price that cannot be subscribed to; amount_too_large for the sum
 * See docs/contract/subscriptions.md#items.
 */
export function checkItems(
  items: readonly { readonly price: string; readonly quantity: number }[],
  currency: string,
  prices: Prices,
  at: readonly number[] = items.map((_, index) => index),
): void {
  if (items.length === 0) throw parameterInvalid('items', 'At least one item must remain')
  if (items.length > MAX_ITEMS)
    throw parameterInvalid('items', `A subscription can have at most ${MAX_ITEMS} items`)
  const first = prices.get(items[0]?.price ?? '')?.recurring
  items.forEach(({ price: id }, index) => {
    const refuse = (why: string) => parameterInvalid(`items[${at[index]}][price]`, `The price '${id}' ${why}`)
    const { active, recurring, currency: priced } = prices.get(id) as Price
    if (!recurring) throw refuse('is a one-time price; a subscription needs recurring prices')
    if (!active) throw refuse('is not active')
    if (priced !== currency) throw refuse(`is in ${priced}, but the subscription is in ${currency}`)
    if (recurring.interval !== first?.interval || recurring.interval_count !== first.interval_count) {
      throw refuse('does not recur at the interval of the first item')
    }
    if (items.findIndex((item) => item.price === id) < index)
      throw refuse('occurs twice; increase the quantity instead')
  })
  total(items.map(({ price, quantity }) => lineAmount(prices.get(price)?.unit_amount ?? 0, quantity)))
}

/**
 * Returns the items of a subscription after an update, which takes effect at the next renewal.
 * @throws ApiError resource_missing, parameter_missing, parameter_invalid, amount_too_large
 * See docs/contract/subscriptions.md#updating-items.
 */
export function updatedItems(
  unit: UnitOfWork,
  { items, currency }: Subscription,
  updates: readonly ItemUpdate[],
  now: number,
): readonly SubscriptionItem[] {
  const byId = new Map(updates.map((update, index) => [update.id, { update, index }]))
  updates.forEach(({ id, price }, index) => {
    if (id !== undefined && updates.findIndex((update) => update.id === id) < index) {
      throw parameterInvalid(
        `items[${index}][id]`,
        `The item '${id}' occurs twice; combine the changes in one entry`,
      )
    }
    if (id === undefined && price === undefined) throw parameterMissing(`items[${index}][price]`)
    if (id !== undefined && !items.some((item) => item.id === id)) {
      throw resourceMissing('subscription item', id, `items[${index}][id]`)
    }
    if (price !== undefined) unit.find('price', price, `items[${index}][price]`)
  })
  const kept = items.flatMap((item) => {
    const change = byId.get(item.id)
    if (!change) return [{ item, index: 0 }]
    const { price, quantity, metadata, deleted } = change.update
    if (deleted) return []
    const after = {
      ...item,
      price: price ?? item.price,
      quantity: quantity ?? item.quantity,
      metadata: mergeMetadata(item.metadata, metadata),
    }
    return [{ item: after, index: change.index }]
  })
  const added = updates.flatMap(({ id, price, quantity, metadata }, index) =>
    id === undefined && price !== undefined
      ? [{ item: newItem(unit, { price, quantity: quantity ?? 1, metadata }, now), index }]
      : [],
  )
  const all = [...kept, ...added]
  const after = all.map(({ item }) => item)
  const prices: Prices = new Map(after.map(({ price }) => [price, unit.need('price', price)]))
  // Items with unchanged prices are checked first, so that an error names the changed one.
  const had = new Set(items.map(({ id, price }) => `${id} ${price}`))
  const stays = ({ item }: { item: SubscriptionItem }) => had.has(`${item.id} ${item.price}`)
  const checked = [...all.filter(stays), ...all.filter((entry) => !stays(entry))]
  checkItems(
    checked.map(({ item }) => item),
    currency,
    activeUnless(prices, items),
    checked.map(({ index }) => index),
  )
  return after
}

/** Treats prices that the subscription already has as active: their deactivation is no error of this update. */
const activeUnless = (prices: Prices, items: readonly SubscriptionItem[]): Prices =>
  new Map(
    [...prices].map(([id, price]) => [
      id,
      items.some((item) => item.price === id) ? { ...price, active: true } : price,
    ]),
  )
