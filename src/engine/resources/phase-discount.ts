import { discountIdsOf } from '../../core/billing/discounting.ts'
import type { Change } from '../../core/change.ts'
import type { Customer } from '../../core/customer.ts'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import { periodAmount } from '../../core/period-amount.ts'
import { discountsInPhase, type EnteredPhase, type RedeemPlanned } from '../../core/phase-discounts.ts'
import type { Prices, Subscription } from '../../core/subscription.ts'
import type { SubscriptionItem } from '../../core/subscription-item.ts'
import type { PhaseDiscount, SchedulePhase } from '../../core/subscription-schedule.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { newestCoupon } from './coupon.ts'
import { loadDiscounts } from './discount.ts'
import { createDiscount, type DiscountParam, obstacleToRedeem, type Purchase } from './redemption.ts'

/** The discounts that a schedule already has. They are not checked again. */
export type KnownDiscounts = {
  /** The discounts of the managed subscription and its items. */
  readonly current: ReadonlySet<string>
  /** The keys (`keyOf`) of the discounts that its phases plan. */
  readonly planned: ReadonlySet<string>
}

export const NO_KNOWN_DISCOUNTS: KnownDiscounts = { current: new Set(), planned: new Set() }

/** Returns the discounts that a schedule already has. */
export const knownDiscounts = (
  phases: readonly SchedulePhase[],
  current: readonly string[],
): KnownDiscounts => ({
  current: new Set(current),
  planned: new Set(
    phases
      .flatMap(({ discounts = [], items }) => [
        ...discounts,
        ...items.flatMap((item) => item.discounts ?? []),
      ])
      .map(keyOf),
  ),
})

const keyOf = ({ coupon, promotion_code, discount }: PhaseDiscount): string =>
  JSON.stringify([coupon, promotion_code, discount])

/**
 * Checks the discounts that a phase plans. They are redeemed when the phase begins.
 * @throws ApiError parameter_invalid, resource_missing, such as param discounts[0][coupon]
 * See docs/contract/schedules.md#discounts-of-phases.
 */
export function checkPlanned(
  unit: UnitOfWork,
  purchase: Purchase,
  { params, name, known }: { params: readonly DiscountParam[]; name: string; known: KnownDiscounts },
): readonly PhaseDiscount[] {
  const coupons = new Set<string>()
  return params.map((param, index) => {
    const field = param.coupon ? 'coupon' : param.promotion_code ? 'promotion_code' : 'discount'
    const at = `${name}[${index}][${field}]`
    const { planned, coupon } = param.discount
      ? plannedDiscount(unit, param.discount, known, at)
      : plannedRedemption(unit, purchase, { param, known, at })
    if (coupons.has(coupon)) throw parameterInvalid(at, 'The coupon is already in the list')
    coupons.add(coupon)
    return planned
  })
}

type Checked = { readonly planned: PhaseDiscount; readonly coupon: string }

function plannedDiscount(unit: UnitOfWork, id: string, known: KnownDiscounts, at: string): Checked {
  const planned = { coupon: null, promotion_code: null, discount: id }
  const discount = unit.get('discount', id)
  const isKnown = known.planned.has(keyOf(planned))
  if (!discount || (discount.deleted && !isKnown)) throw resourceMissing('discount', id, at)
  if (!isKnown && !known.current.has(id))
    throw parameterInvalid(at, `The discount '${id}' belongs to another object`)
  return { planned, coupon: discount.coupon }
}

function plannedRedemption(
  unit: UnitOfWork,
  purchase: Purchase,
  { param, known, at }: { param: DiscountParam; known: KnownDiscounts; at: string },
): Checked {
  const { coupon: couponId = '', promotion_code } = param
  const code = promotion_code === undefined ? null : unit.find('promotion_code', promotion_code, at)
  const coupon = code ? unit.need('coupon', code.coupon) : newestCoupon(unit, couponId)
  if (!coupon) throw resourceMissing('coupon', couponId, at)
  const planned = {
    coupon: code ? null : coupon.id,
    promotion_code: code?.id ?? null,
    discount: null,
  }
  const why = known.planned.has(keyOf(planned)) ? null : obstacleToRedeem(unit, { coupon, code }, purchase)
  if (why) throw parameterInvalid(at, why)
  return { planned, coupon: coupon.id }
}

/**
 * Redeems the discounts of a phase that begins or is changed. Those that can no longer be redeemed are left out, because a
 * phase must not fail to begin.
 * @param given.items - the items in the phase
 * @returns the discounts and the items of the subscription in the phase
 * See docs/contract/schedules.md#discounts-of-phases.
 */
export function enterDiscounts(
  unit: UnitOfWork,
  change: Change,
  subscription: Subscription,
  given: Pick<EnteredPhase, 'phase' | 'former' | 'isNew'> & {
    readonly customer: Customer
    readonly items: readonly SubscriptionItem[]
    readonly prices: Prices
  },
): Pick<Subscription, 'discounts' | 'items'> {
  const { customer, items, prices, ...entered } = given
  const { id, currency } = subscription
  const redeem: RedeemPlanned = ({ coupon, promotion_code }, item) => {
    const code =
      promotion_code === null
        ? null
        : change.latest('promotion_code', unit.need('promotion_code', promotion_code))
    const redeemed = code?.coupon ?? coupon
    // A discount that has ended cannot be redeemed again.
    if (redeemed === null) return null
    const holder = { subscription: id, ...(item && { subscription_item: item.id }) }
    const amount = periodAmount(item ? [item] : items, prices)
    const purchase: Purchase = { customer, holder, currency, amount }
    const found = { coupon: change.latest('coupon', unit.need('coupon', redeemed)), code }
    if (obstacleToRedeem(unit, found, purchase)) return null
    return createDiscount(unit, change, found, { purchase, event: 'customer.discount.created' })
  }
  const discounts = loadDiscounts(unit, discountIdsOf(subscription), change)
  const { instant: now } = unit.clockOf(customer.test_clock)
  return discountsInPhase(subscription, items, { ...entered, now, discounts, redeem })
}
