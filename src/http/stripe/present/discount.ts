import type Stripe from 'stripe'
import { totalDiscountAmounts } from '../../../core/billing/discount-amounts.ts'
import type { Coupon } from '../../../core/coupon.ts'
import type { Discount } from '../../../core/discount.ts'
import type { InvoiceLine } from '../../../core/invoice-line.ts'
import type { PromotionCode } from '../../../core/promotion-code.ts'
import type { View } from '../../../engine/history/view.ts'
import { couponReference } from '../../coupon.ts'
import { internalId } from '../../internal-id.ts'
import type { Wire } from '../wire.ts'

export const presentCoupon = (_view: View, coupon: Coupon): Wire<Stripe.Coupon> => ({
  id: coupon.public_id,
  ...internalId(coupon.id),
  object: 'coupon',
  amount_off: coupon.amount_off,
  created: coupon.created,
  currency: coupon.currency,
  duration: coupon.duration,
  duration_in_months: coupon.duration_in_months,
  livemode: false,
  max_redemptions: coupon.max_redemptions,
  metadata: coupon.metadata,
  name: coupon.name,
  percent_off: coupon.percent_off,
  redeem_by: coupon.redeem_by,
  times_redeemed: coupon.times_redeemed,
  valid: coupon.valid,
})

export const presentPromotionCode = (view: View, code: PromotionCode): Wire<Stripe.PromotionCode> => ({
  id: code.id,
  object: 'promotion_code',
  active: code.active,
  code: code.code,
  created: code.created,
  customer: code.customer,
  customer_account: null,
  expires_at: code.expires_at,
  livemode: false,
  max_redemptions: code.max_redemptions,
  metadata: code.metadata,
  promotion: { ...couponReference(view, code.coupon), type: 'coupon' },
  restrictions: { ...code.restrictions },
  times_redeemed: code.times_redeemed,
})

export const presentDiscount = (view: View, discount: Discount): Wire<Stripe.Discount> => ({
  id: discount.id,
  object: 'discount',
  checkout_session: null,
  customer: discount.customer,
  customer_account: null,
  end: discount.end,
  invoice: discount.invoice,
  invoice_item: discount.invoice_item,
  promotion_code: discount.promotion_code,
  source: { ...couponReference(view, discount.coupon), type: 'coupon' },
  start: discount.start,
  subscription: discount.subscription,
  subscription_item: discount.subscription_item,
})

/** Presents a discount that was removed. */
export function presentDeletedDiscount(view: View, discount: Discount): Wire<Stripe.DeletedDiscount> {
  const { end: _, ...shown } = presentDiscount(view, discount)
  return { ...shown, deleted: true }
}

/** Presents the total of each discount of an invoice. */
export const presentTotals = (lines: readonly InvoiceLine[]): Wire<Stripe.Invoice.TotalDiscountAmount>[] =>
  totalDiscountAmounts(lines).map((amount) => ({ ...amount }))
