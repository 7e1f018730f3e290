import type Stripe from 'stripe'
import { createCoupon, deleteCoupon, updateCoupon } from '../../../engine/resources/coupon.ts'
import {
  couponListParams,
  createCouponParams,
  listCoupons,
  needCoupon,
  requiresOfCoupon,
  updateCouponParams,
} from '../../coupon.ts'
import type { StripeApi } from '../api.ts'
import { presentCoupon } from '../present/discount.ts'
import { returning, returningList, wireList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const coupon = returning<Wire<Stripe.Coupon>>('coupon')
const PATH = '/v1/coupons'

export function couponRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: PATH,
      summary: 'Creates a coupon.',
      params: createCouponParams,
      requires: requiresOfCoupon,
      returns: coupon,
    },
    ({ unit, view, params }) => presentCoupon(view, createCoupon(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: PATH,
      summary: 'Lists coupons.',
      params: couponListParams,
      returns: returningList<Wire<Stripe.Coupon>>('coupon'),
    },
    (call) => wireList(listCoupons(call, presentCoupon)),
  )
  api.read(
    { method: 'get', path: `${PATH}/:id`, summary: 'Retrieves a coupon.', returns: coupon },
    ({ view, id }) => presentCoupon(view, needCoupon(view, id, 'id')),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id`,
      summary: 'Updates the name and metadata of a coupon.',
      params: updateCouponParams,
      returns: coupon,
    },
    ({ unit, view, params, id }) => presentCoupon(view, updateCoupon(unit, id, params)),
  )
  api.write(
    {
      method: 'delete',
      path: `${PATH}/:id`,
      summary: 'Deletes a coupon. Discounts that were redeemed go on.',
      returns: returning<Wire<Stripe.DeletedCoupon>>('deleted_coupon'),
    },
    ({ unit, id }) => ({
      id: deleteCoupon(unit, id).public_id,
      object: 'coupon' as const,
      deleted: true as const,
    }),
  )
}
