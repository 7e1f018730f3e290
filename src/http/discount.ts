import type { Discount } from '../core/discount.ts'
import { assert } from '../core/errors.ts'
import type { PhaseDiscount } from '../core/subscription-schedule.ts'
import type { View } from '../engine/history/view.ts'
import { deleteCustomerDiscount } from '../engine/resources/discount.ts'
import { deleteSubscriptionDiscounts } from '../engine/resources/subscription-discount.ts'
import type { Api } from './api.ts'
import { couponReference, presentCoupon } from './coupon.ts'
import { common, type Resource } from './resource.ts'
import { type DiscountShape, deletedDiscount } from './schemas/discount.ts'

function discountRoutes(api: Api): void {
  api.write(
    {
      method: 'delete',
      path: '/v1/customers/:id/discount',
      summary: 'Removes the discount of a customer.',
      returns: deletedDiscount,
    },
    ({ unit, view, id }) => presentDeleted(view, deleteCustomerDiscount(unit, id)),
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/subscriptions/:id/discount',
      summary: 'Removes the discounts of a subscription. Those of its items stay.',
      returns: deletedDiscount,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, view, id }) => presentDeleted(view, deleteSubscriptionDiscounts(unit, id)),
  )
}

const presentDeleted = (view: View, discount: Discount) => ({
  ...presentDiscount(view, discount),
  deleted: true as const,
})

export function presentDiscount(view: View, discount: Discount): DiscountShape {
  const coupon = view.get('coupon', discount.coupon)
  assert(coupon, `the coupon of ${discount.id} exists`)
  return {
    ...common(view, 'discount', discount),
    coupon: presentCoupon(view, coupon),
    promotion_code: discount.promotion_code,
    customer: discount.customer,
    subscription: discount.subscription,
    subscription_item: discount.subscription_item,
    invoice: discount.invoice,
    invoice_item: discount.invoice_item,
    start: discount.start,
    end: discount.end,
    test_clock: discount.test_clock,
  }
}

/** Presents the discounts that a phase of a schedule plans. */
export const presentPlanned = (view: View, planned: readonly PhaseDiscount[]) =>
  planned.map(({ coupon, promotion_code, discount }) => ({
    ...couponReference(view, coupon),
    promotion_code,
    discount,
  }))

export const discountResource: Resource<'discount'> = {
  collection: 'discounts',
  present: presentDiscount,
  routes: discountRoutes,
}
