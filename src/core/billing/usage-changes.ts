import type { Proration } from '../proration.ts'
import type { Subscription } from '../subscription.ts'
import { isMetered, type SubscriptionItem } from '../subscription-item.ts'
import { billedUsage, meteredSpan, type UsageSource } from './usage.ts'

/** Lists the items of a subscription whose price stays the same in a change. */
export const keptItems = (
  { items }: Subscription,
  after: Pick<Subscription, 'items'>,
): readonly SubscriptionItem[] =>
  items.filter(({ id, price }) => after.items.some((item) => item.id === id && item.price === price))

/**
 * Returns the lines for the usage of the metered items that a change removes or gives another price, up to the change. Lines
 * with the amount 0 are left out.
 * @param change.at - when the new items count from, in Unix seconds within the current period
 * See docs/contract/usage.md#changing-a-plan.
 */
export function usageUpTo(
  source: UsageSource,
  subscription: Subscription,
  { after, at }: { readonly after: readonly SubscriptionItem[]; readonly at: number },
): Proration[] {
  const kept = new Set(keptItems(subscription, { items: after }).map(({ id }) => id))
  const ended = subscription.items.filter((item) => isMetered(item) && !kept.has(item.id))
  return ended.flatMap((item): Proration[] => {
    const period = meteredSpan(item, { start: subscription.current_period_start, end: at })
    const price = source.prices.get(item.price)
    // No time has passed, so that also a flat amount is not billed.
    if (!price || period.start >= period.end) return []
    const billed = billedUsage(price, source.usage(item, period))
    if (billed.amount === 0) return []
    return [{ ...billed, subscription_item: item.id, price: item.price, period, is_usage: true }]
  })
}

/**
 * Returns the instant from which the usage of a change counts: usage after now is not known, so a later instant is now.
 * @param at - when the new items count from, in Unix seconds
 */
export const usageFrom = (at: number, now: number): number => Math.min(at, now)

/**
 * Sets the instant from which the usage of the metered items of a change counts. With a new price, usage counts from the
 * change, but not from before an earlier change of the same item, up to which it is billed. A licensed item that replaces a
 * metered one keeps that instant for the next change.
 * @param at - Unix seconds
 */
export const meteredFrom = (
  before: readonly SubscriptionItem[],
  after: readonly SubscriptionItem[],
  at: number,
): readonly SubscriptionItem[] =>
  after.map((item) => {
    const previous = before.find(({ id }) => id === item.id)
    const replacesMetered = previous !== undefined && isMetered(previous)
    if (previous?.price === item.price || !(isMetered(item) || replacesMetered)) return item
    return { ...item, metered_from: Math.max(at, previous?.metered_from ?? 0) }
  })
