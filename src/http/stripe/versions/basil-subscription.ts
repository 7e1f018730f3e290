import type Stripe from 'stripe'
import type { Json } from '../../json.ts'
import type { ObjectsAt } from '../../versions.ts'
import type { Wire } from '../wire.ts'

/** Returns a subscription with its period, which is that of each of its items, and its only discount. */
export function subscriptionBeforeBasil(subscription: Wire<Stripe.Subscription>, objects: ObjectsAt): Json {
  const [item] = subscription.items.data
  return {
    ...subscription,
    current_period_end: item?.current_period_end,
    current_period_start: item?.current_period_start,
    discount: onlyDiscount(subscription.discounts, objects),
  }
}

/** Returns the field `discount`: the only discount; null for none or several. */
export function onlyDiscount(discounts: readonly string[], { show }: ObjectsAt): Json | null {
  const [id, ...others] = discounts
  return id === undefined || others.length > 0 ? null : (show('discount', id) ?? null)
}

export const subscriptionItemBeforeBasil = ({
  current_period_end: _end,
  current_period_start: _start,
  ...item
}: Wire<Stripe.SubscriptionItem>): Json => item

/** The aggregation of usage belongs to the meter of a price. */
export const priceBeforeBasil = (price: Wire<Stripe.Price>): Json => ({
  ...price,
  recurring: price.recurring && { ...price.recurring, aggregate_usage: null },
})

export const planBeforeBasil = (plan: Wire<Stripe.Plan>): Json => ({ ...plan, aggregate_usage: null })

export const scheduleBeforeBasil = (schedule: Wire<Stripe.SubscriptionSchedule>): Json => ({
  ...schedule,
  phases: schedule.phases.map((phase) => ({ ...phase, coupon: onlyCoupon(phase.discounts) })),
})

/** Returns the coupon of a phase whose only discount it is; null otherwise. */
function onlyCoupon(discounts: Wire<Stripe.SubscriptionSchedule.Phase>['discounts']): string | null {
  const [only, ...others] = discounts
  return only && others.length === 0 && typeof only.coupon === 'string' ? only.coupon : null
}
