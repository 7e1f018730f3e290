import type { PortalFeatures, PortalProduct } from './portal-configuration.ts'
import { type BilledPrice, meterOf } from './price.ts'
import { priceAmount } from './price-amount.ts'
import { cancellationAt, type Prices, priceOf, type Subscription } from './subscription.ts'
import { nextPhase, type SubscriptionSchedule } from './subscription-schedule.ts'
import { factsOf, hasEnded, isInTrial, isRunning } from './subscription-status.ts'

/**
 * Explains why the portal cannot change the plan of a subscription, as a sentence; null if it can.
 * See docs/contract/customer-portal.md#changing-a-plan.
 */
export function whyNotUpdatable(
  subscription: Subscription,
  prices: Prices,
  { subscription_update: { enabled, default_allowed_updates } }: PortalFeatures,
): string | null {
  if (!enabled)
    return 'This subscription cannot be updated because the subscription update feature in the portal configuration is disabled.'
  if (default_allowed_updates.length === 0)
    return 'This subscription cannot be updated because the portal configuration allows no updates.'
  const why = obstacleOf(subscription, prices)
  return why && `This subscription cannot be updated because it ${why}.`
}

function obstacleOf(subscription: Subscription, prices: Prices): string | null {
  const { items, schedule, pending_update, collection_method, status, pause_collection } = subscription
  if (!isInTrial(subscription) && !factsOf(subscription).isPaidUp) return `is ${status}`
  if (cancellationAt(subscription) !== null) return 'is set to be canceled'
  if (schedule !== null) return 'is managed by a subscription schedule'
  if (pending_update !== null) return 'has a pending update'
  if (pause_collection !== null) return 'is paused'
  if (collection_method !== 'charge_automatically') return 'is paid by sent invoices'
  if (items.length !== 1) return 'has more than one item'
  return items.some((item) => meterOf(priceOf(item, prices)) !== undefined) ? 'has a metered price' : null
}

/** Explains why the portal cannot cancel a subscription, as a sentence; null if it can. */
export function whyNotCancelable(
  subscription: Subscription,
  { subscription_cancel: { enabled } }: PortalFeatures,
): string | null {
  if (!enabled)
    return 'This subscription cannot be canceled because the subscription cancel feature in the portal configuration is disabled.'
  if (hasEnded(subscription))
    return `This subscription cannot be canceled because it is ${subscription.status}.`
  if (cancellationAt(subscription) !== null)
    return 'This subscription cannot be canceled because it is already set to be canceled.'
  return subscription.schedule === null
    ? null
    : 'This subscription cannot be canceled because it is managed by a subscription schedule.'
}

/** Whether the portal can withdraw the planned cancellation of a subscription. */
export const isRenewable = (
  subscription: Subscription,
  { subscription_cancel: { enabled } }: PortalFeatures,
): boolean =>
  enabled &&
  isRunning(subscription) &&
  cancellationAt(subscription) !== null &&
  subscription.schedule === null

/**
 * Whether the portal can withdraw a change of plan that waits for its payment, or in a schedule for the end of the period. A
 * schedule whose next phase the merchant planned cannot be withdrawn.
 */
export const isWithdrawable = (
  { pending_update }: Subscription,
  managing: SubscriptionSchedule | null,
  { subscription_update: { enabled } }: PortalFeatures,
): boolean => enabled && (pending_update !== null || (managing !== null && isOfPortal(managing)))

const isOfPortal = (schedule: SubscriptionSchedule): boolean =>
  schedule.end_behavior === 'release' && nextPhase(schedule)?.chosen_in_portal === true

/** The quantities that a customer can choose. */
export type QuantityRange = { readonly minimum: number; readonly maximum: number | null }

const ANY_QUANTITY: QuantityRange = { minimum: 1, maximum: null }

/**
 * Returns the quantities that the portal allows for a price; null if it does not change the quantity.
 * @param product - the entry of the price's product; undefined if the configuration does not list it
 */
export function quantitiesOf(
  { default_allowed_updates, products }: PortalFeatures['subscription_update'],
  product: PortalProduct | undefined,
): QuantityRange | null {
  if (!default_allowed_updates.includes('quantity')) return null
  if (products === null) return ANY_QUANTITY
  if (!product?.adjustable_quantity.enabled) return null
  const { minimum, maximum } = product.adjustable_quantity
  return { minimum, maximum }
}

/** The plan of a subscription: its only item with its price. */
export type Plan = { readonly price: BilledPrice; readonly quantity: number }

/** Whether a change of plan waits for the end of the period. See docs/contract/customer-portal.md#changing-a-plan. */
export function waitsForPeriodEnd(
  before: Plan,
  after: Plan,
  { schedule_at_period_end: { conditions } }: PortalFeatures['subscription_update'],
): boolean {
  const holds = {
    decreasing_item_amount: () =>
      isSameInterval(before.price, after.price) && amountOf(after) < amountOf(before),
    shortening_interval: () => lengthOf(after.price) < lengthOf(before.price),
  }
  return conditions.some((condition) => holds[condition]())
}

const amountOf = ({ price, quantity }: Plan): number => priceAmount(price, quantity)

const isSameInterval = (one: BilledPrice, other: BilledPrice): boolean =>
  one.recurring?.interval === other.recurring?.interval &&
  one.recurring?.interval_count === other.recurring?.interval_count

/** The length of each interval in days, to compare intervals. */
const DAYS = { day: 1, week: 7, month: 30, year: 365 } as const

const lengthOf = ({ recurring }: BilledPrice): number =>
  recurring ? DAYS[recurring.interval] * recurring.interval_count : 0
