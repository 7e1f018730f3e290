import { withItemDiscounts } from '../../core/billing/discounting.ts'
import { meteredFrom, usageFrom } from '../../core/billing/usage-changes.ts'
import type { Change } from '../../core/change.ts'
import { parameterInvalid, parameterMissing, resourceMissing } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { isActive } from '../../core/meter.ts'
import { total } from '../../core/money.ts'
import { type BilledPrice, meterOf, type Price } from '../../core/price.ts'
import { priceAmount } from '../../core/price-amount.ts'
import { MAX_ITEMS, type Subscription, type SubscriptionItem } from '../../core/subscription.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { createItemPrice, type ItemPriceData } from './price.ts'
import { type DiscountParam, type Purchase, redeemList } from './redemption.ts'

/** An item to create, with the id of a price or with the data of a new price. */
export type ItemParams = {
  price?: string | undefined
  price_data?: ItemPriceData | undefined
  /** 1 by default; not for a metered price. */
  quantity?: number | undefined
  discounts?: readonly DiscountParam[] | undefined
  metadata?: MetadataParam | undefined
  /** Whether its price was chosen before, and may have become inactive since. */
  isChosenBefore?: boolean | undefined
}

/** The price of an item, and how errors name it. */
export type ItemPrice = {
  readonly price: Price
  /** The parameter that has the price. */
  readonly param: string
  /** Why an item cannot get the price, as the end of a sentence; null if it can, or if the subscription already has the price. */
  readonly obstacle: string | null
}

/** A change of the items: with an id it updates that item, without one it adds an item. */
export type ItemUpdate = {
  id?: string | undefined
  price?: string | undefined
  price_data?: ItemPriceData | undefined
  quantity?: number | undefined
  deleted?: boolean | undefined
  discounts?: readonly DiscountParam[] | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Sets the discounts of an item that a request gives.
 * @param options.purchase - for the whole subscription
 * @param options.index - the place of the item in the parameters
 * @throws ApiError parameter_invalid, resource_missing, such as param items[n][discounts][0][coupon]
 */
export function withRedeemed(
  unit: UnitOfWork,
  change: Change,
  item: SubscriptionItem,
  {
    params,
    purchase,
    price,
    index,
  }: { params: readonly DiscountParam[]; purchase: Purchase; price: Price; index: number },
): SubscriptionItem {
  const { id, quantity, discounts: current } = item
  const ofItem: Purchase = {
    ...purchase,
    holder: { ...purchase.holder, subscription_item: id },
    amount: quantity === null ? 0 : priceAmount(price, quantity),
  }
  const name = `items[${index}][discounts]`
  return withItemDiscounts(item, redeemList(unit, change, ofItem, { params, current, name }))
}

export const newItem = (
  unit: UnitOfWork,
  { quantity = 1, metadata }: Pick<ItemParams, 'quantity' | 'metadata'>,
  { price, created }: { price: BilledPrice; created: number },
): SubscriptionItem => ({
  id: unit.newId('si'),
  created,
  price: price.id,
  quantity: meterOf(price) === undefined ? quantity : null,
  metadata: mergeMetadata({}, metadata),
})

/**
 * Finds the price of an item, or creates it from the data of the item.
 * @param index - the place of the item in the parameters
 * @throws ApiError parameter_missing; resource_missing, such as param items[n][price]
 */
export function findItemPrice(
  unit: UnitOfWork,
  {
    price: id,
    price_data,
    isChosenBefore = false,
  }: Pick<ItemParams, 'price' | 'price_data' | 'isChosenBefore'>,
  index: number,
): ItemPrice {
  if (price_data) {
    const param = `items[${index}][price_data]`
    return { price: createItemPrice(unit, price_data, param), param, obstacle: null }
  }
  const param = `items[${index}][price]`
  if (id === undefined) throw parameterMissing(param)
  const price = unit.find('price', id, param)
  return { price, param, obstacle: isChosenBefore ? null : obstacleOf(unit, price) }
}

/** Returns why a new item cannot get a price, as the end of a sentence; null if it can. */
function obstacleOf(unit: UnitOfWork, price: Price): string | null {
  if (!price.active) return 'is not active'
  const meter = meterOf(price)
  return meter === undefined || isActive(unit.need('billing_meter', meter))
    ? null
    : `uses the meter '${meter}', which is inactive; reactivate it`
}

/**
 * Checks that a metered price has no quantity.
 * @param index - the place of the item in the parameters
 * @throws ApiError parameter_invalid, such as param items[n][quantity]
 * See docs/contract/usage.md#metered-prices.
 */
export function checkQuantity({ price }: ItemPrice, quantity: number | undefined, index: number): void {
  if (quantity === undefined || meterOf(price) === undefined) return
  const why = `The price '${price.id}' is metered: its quantity is the usage of a period`
  throw parameterInvalid(`items[${index}][quantity]`, why)
}

/**
 * Checks the items of a subscription.
 * @throws ApiError parameter_invalid for a price that cannot be subscribed to; amount_too_large for the sum
 * See docs/contract/subscriptions.md#items.
 */
export function checkItems(
  items: readonly (ItemPrice & { readonly quantity?: number | null | undefined })[],
  currency: string,
): void {
  if (items.length === 0) throw parameterInvalid('items', 'At least one item must remain')
  if (items.length > MAX_ITEMS)
    throw parameterInvalid('items', `A subscription can have at most ${MAX_ITEMS} items`)
  const first = items[0]?.price.recurring
  items.forEach(({ price: { id, recurring, currency: priced }, obstacle, param }, index) => {
    const refuse = (why: string) => parameterInvalid(param, `The price '${id}' ${why}`)
    if (!recurring) throw refuse('is a one-time price; a subscription needs recurring prices')
    if (obstacle !== null) throw refuse(obstacle)
    if (priced !== currency) throw refuse(`is in ${priced}, but the subscription is in ${currency}`)
    if (recurring.interval !== first?.interval || recurring.interval_count !== first.interval_count) {
      throw refuse('does not recur at the interval of the first item')
    }
    if (items.findIndex(({ price }) => price.id === id) < index)
      throw refuse('occurs twice; increase the quantity instead')
  })
  const licensed = items.filter(({ price }) => meterOf(price) === undefined)
  total(licensed.map(({ price, quantity }) => priceAmount(price, quantity ?? 1)))
}

/**
 * Returns the items of a subscription after an update, which takes effect at the next renewal.
 * @param times.from - when usage counts for a new metered price; by default now
 * @throws ApiError resource_missing, parameter_missing, parameter_invalid, amount_too_large
 * See docs/contract/subscriptions.md#updating-items.
 */
export function updatedItems(
  unit: UnitOfWork,
  { items, currency }: Subscription,
  updates: readonly ItemUpdate[],
  {
    now,
    from = now,
    redeem,
  }: { readonly now: number; readonly from?: number | undefined; readonly redeem: RedeemForItem },
): readonly SubscriptionItem[] {
  updates.forEach(({ id, price, price_data }, index) => {
    if (id !== undefined && updates.findIndex((update) => update.id === id) < index) {
      throw parameterInvalid(
        `items[${index}][id]`,
        `The item '${id}' occurs twice; combine the changes in one entry`,
      )
    }
    if (id === undefined && price === undefined && !price_data)
      throw parameterMissing(`items[${index}][price]`)
    if (id !== undefined && !items.some((item) => item.id === id)) {
      throw resourceMissing('subscription item', id, `items[${index}][id]`)
    }
    if (price !== undefined) unit.find('price', price, `items[${index}][price]`)
  })
  const has = (price: string) => items.some((item) => item.price === price)
  const newPrice = (update: ItemUpdate, index: number): ItemPrice => {
    const found = findItemPrice(unit, update, index)
    // Prices that the subscription already has stay usable: their deactivation is no error of this update.
    return has(found.price.id) ? { ...found, obstacle: null } : found
  }
  const byId = new Map(updates.map((update, index) => [update.id, { update, index }]))
  const kept = items.flatMap((item): PricedItem[] => {
    const { update, index }: { update: ItemUpdate; index: number } = byId.get(item.id) ?? {
      update: {},
      index: 0,
    }
    const { quantity, metadata, deleted } = update
    if (deleted) return []
    const priced = newPrice(update.price || update.price_data ? update : { price: item.price }, index)
    checkQuantity(priced, quantity, index)
    const after = {
      ...item,
      price: priced.price.id,
      quantity: meterOf(priced.price) === undefined ? (quantity ?? item.quantity ?? 1) : null,
      metadata: mergeMetadata(item.metadata, metadata),
    }
    return [{ ...priced, item: after, index, discounts: update.discounts }]
  })
  const added = updates.flatMap((update, index): PricedItem[] => {
    if (update.id !== undefined) return []
    const priced = newPrice(update, index)
    checkQuantity(priced, update.quantity, index)
    const item = newItem(unit, update, { price: priced.price, created: now })
    return [{ ...priced, item, index, discounts: update.discounts }]
  })
  const all = [...kept, ...added]
  // Items with unchanged prices are checked first, so that an error names the changed one.
  const had = new Set(items.map(({ id, price }) => `${id} ${price}`))
  const stays = ({ item }: PricedItem) => had.has(`${item.id} ${item.price}`)
  const checked = [...all.filter(stays), ...all.filter((entry) => !stays(entry))]
  checkItems(
    checked.map(({ item, price, param, obstacle }) => ({ price, param, obstacle, quantity: item.quantity })),
    currency,
  )
  return meteredFrom(
    items,
    all.map(({ item, price, index, discounts: params }) =>
      params === undefined ? item : redeem(item, { params, price, index }),
    ),
    usageFrom(from, now),
  )
}

/** Sets the discounts of an item that the request gives. */
export type RedeemForItem = (
  item: SubscriptionItem,
  given: { params: readonly DiscountParam[]; price: Price; index: number },
) => SubscriptionItem

type PricedItem = ItemPrice & {
  readonly item: SubscriptionItem
  /** The place of the item in the parameters. */
  readonly index: number
  readonly discounts: readonly DiscountParam[] | undefined
}
