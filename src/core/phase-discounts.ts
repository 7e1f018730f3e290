import { type Discount, type Discounts, discountsIn } from './discount.ts'
import type { Subscription } from './subscription.ts'
import type { SubscriptionItem } from './subscription-item.ts'
import type { PhaseDiscount, SchedulePhase } from './subscription-schedule.ts'

/** The discounts that a phase sets; absent if it leaves them as they are. */
type Planned = { readonly discounts?: readonly PhaseDiscount[] }

/** Redeems a planned discount. @param item - the item that gets the discount; null for the subscription */
export type RedeemPlanned = (planned: PhaseDiscount, item: SubscriptionItem | null) => Discount | null

/** A phase that begins, or the current one after a change. */
export type EnteredPhase = {
  readonly phase: Pick<SchedulePhase, 'items'> & Planned
  /** The phase before, or the current one before its change; null for the first phase. */
  readonly former: (Pick<SchedulePhase, 'items'> & Planned) | null
  /** Whether the phase begins now. */
  readonly isNew: boolean
  /** Unix seconds. */
  readonly now: number
  /** The current discounts of the subscription and its items. */
  readonly discounts: Discounts
  /** Returns null for a coupon or a code that can no longer be redeemed. */
  readonly redeem: RedeemPlanned
}

/**
 * Returns the discounts of a subscription and its items in a phase. The phase keeps discounts that it plans and that are in
 * force, and redeems the others. Discounts that the previous phase has set end.
 * @param items - the items in the phase, with the discounts that they have had
 * See docs/contract/schedules.md#discounts-of-phases.
 */
export function discountsInPhase(
  subscription: Pick<Subscription, 'discounts' | 'items'>,
  items: readonly SubscriptionItem[],
  { phase, former, ...entered }: EnteredPhase,
): Pick<Subscription, 'discounts' | 'items'> {
  const priceBefore = new Map(subscription.items.map(({ id, price }) => [id, price]))
  const discounted = items.map((item): SubscriptionItem => {
    const { discounts: current = [], ...plain } = item
    const planned = plannedFor(phase, item.price)
    const before = former && plannedFor(former, priceBefore.get(item.id))
    const ids = inForce({ current, planned, former: before, holder: item, ...entered })
    return ids.length === 0 ? plain : { ...item, discounts: ids }
  })
  const { discounts: current } = subscription
  const ofPhase = { current, planned: phase.discounts, former: former?.discounts, holder: null }
  return { items: discounted, discounts: inForce({ ...ofPhase, ...entered }) }
}

/** Returns the item of a phase that has a price. */
const plannedFor = ({ items }: Pick<SchedulePhase, 'items'>, price: string | undefined) =>
  items.find((item) => item.price === price)?.discounts

function inForce({
  current,
  planned,
  former,
  holder,
  isNew,
  now,
  discounts,
  redeem,
}: Pick<EnteredPhase, 'isNew' | 'now' | 'discounts' | 'redeem'> & {
  readonly current: readonly string[]
  readonly planned: readonly PhaseDiscount[] | undefined
  readonly former: readonly PhaseDiscount[] | null | undefined
  readonly holder: SubscriptionItem | null
}): readonly string[] {
  if (!planned) return former ? [] : current
  // A discount that ends in this second does not continue.
  const live = discountsIn(discounts, current).filter(({ end }) => end === null || end > now)
  return planned.flatMap((each) => {
    const kept = live.find((discount) => isOf(discount, each))
    if (kept) return kept.id
    // The current phase has already redeemed it, and it has ended.
    if (!isNew && former?.some((other) => isSame(other, each))) return []
    return redeem(each, holder)?.id ?? []
  })
}

/** Reports whether a discount comes from a planned one. */
const isOf = (discount: Discount, { coupon, promotion_code, discount: id }: PhaseDiscount): boolean =>
  id === discount.id ||
  (promotion_code !== null && promotion_code === discount.promotion_code) ||
  (coupon !== null && coupon === discount.coupon && discount.promotion_code === null)

const isSame = (left: PhaseDiscount, right: PhaseDiscount): boolean =>
  left.coupon === right.coupon &&
  left.promotion_code === right.promotion_code &&
  left.discount === right.discount

/**
 * Returns the planned discounts of a phase after its subscription's discounts were changed directly.
 * @param ids - the discounts after the change
 */
export const plannedAs = (
  planned: readonly PhaseDiscount[],
  ids: readonly string[],
  discounts: Discounts,
): readonly PhaseDiscount[] =>
  discountsIn(discounts, ids).map(
    (discount) =>
      planned.find((each) => isOf(discount, each)) ?? {
        coupon: null,
        promotion_code: null,
        discount: discount.id,
      },
  )
