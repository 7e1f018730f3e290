import { termsOf, whyNotRedeemable } from '../../core/coupon.ts'
import type { Customer } from '../../core/customer.ts'
import { type Discount, type Discounts, endOfDiscount } from '../../core/discount.ts'
import type { ProjectionSource } from '../../core/phase-projection.ts'
import type { Prices } from '../../core/subscription.ts'
import type { View } from './view.ts'

/** Returns the prices of some items by id. */
export const pricesOf = (view: View, items: readonly { readonly price: string }[]): Prices =>
  new Map(
    items.flatMap(({ price: id }) => {
      const price = view.withoutMetadata('price', id)
      return price ? [[id, price] as const] : []
    }),
  )

/** Returns discounts by id, as of the moment of a view. */
export const discountsFor = (view: View, ids: readonly string[]): Discounts =>
  new Map(
    ids.flatMap((id) => {
      const discount = view.get('discount', id)
      return discount ? [[id, discount] as const] : []
    }),
  )

/**
 * Returns a function that projects the discounts of phases, as of the moment of a view. Restrictions of promotion codes are
 * not projected.
 */
export const planIn =
  (view: View, customer: Customer, { currency }: { readonly currency: string }): ProjectionSource['plan'] =>
  ({ coupon: couponId, promotion_code }, at): Discount | null => {
    const code = promotion_code === null ? null : view.withoutMetadata('promotion_code', promotion_code)
    const coupon = view.withoutMetadata('coupon', code?.coupon ?? couponId ?? '')
    if (!coupon?.valid || code === undefined || code?.active === false) return null
    if (whyNotRedeemable(coupon, coupon.redeem_by, at)) return null
    if (code && whyNotRedeemable(code, code.expires_at, at)) return null
    if (coupon.currency !== null && coupon.currency !== currency) return null
    return {
      ...{ id: '', created: at, start: at, customer: customer.id, test_clock: customer.test_clock },
      ...{ subscription: null, subscription_item: null, invoice: null, invoice_item: null },
      ...{ coupon: coupon.id, promotion_code, terms: termsOf(coupon), used_by: null, deleted: false },
      end: endOfDiscount(at, coupon.duration_in_months),
    }
  }
