import * as z from 'zod'
import { COUPON_DURATIONS, type Coupon } from '../core/coupon.ts'
import { resourceMissing } from '../core/errors.ts'
import { MAX_AMOUNT } from '../core/money.ts'
import type { CurrentView, View } from '../engine/history/view.ts'
import { createCoupon, deleteCoupon, updateCoupon } from '../engine/resources/coupon.ts'
import type { Api, Call } from './api.ts'
import { deferred } from './deferred.ts'
import { currency, instant, metadata, reference } from './fields.ts'
import type { Raw } from './form.ts'
import { internalId } from './internal-id.ts'
import type { Json } from './json.ts'
import {
  createdFilters,
  createdParam,
  type List,
  listObjects,
  NOT_DELETED,
  pageParams,
  withCursors,
} from './pagination.ts'
import { common, deletedStub, type Resource } from './resource.ts'
import { type CouponShape, couponList, couponSchema, deletedCoupon } from './schemas/discount.ts'

/** paytwin: the longest duration in months, which is ten years. */
const MAX_MONTHS = 120

const percentOff = deferred(() =>
  z
    .number()
    .gt(0, { error: 'expected more than 0' })
    .max(100)
    .refine((percent) => Math.abs(percent * 100 - Math.round(percent * 100)) < 1e-9, {
      error: 'expected at most two decimals',
    }),
)
export const maxRedemptions = deferred(() => z.int().min(1))
const couponName = deferred(() => z.string().max(40).nullable().optional())

export const createCouponParams = deferred(() =>
  z
    .object({
      id: z
        .string()
        .regex(/^[\w-]{1,200}$/, { error: 'expected 1 to 200 letters, digits, hyphens and underscores' })
        .optional(),
      name: couponName(),
      percent_off: percentOff().optional(),
      amount_off: z.int().min(1).max(MAX_AMOUNT).optional(),
      currency: currency.optional(),
      duration: z.enum(COUPON_DURATIONS).default('once'),
      duration_in_months: z.int().min(1).max(MAX_MONTHS).optional(),
      max_redemptions: maxRedemptions().optional(),
      redeem_by: instant.optional(),
      applies_to: z.object({ products: z.array(reference).min(1).max(100) }).optional(),
      metadata,
    })
    .refine(({ percent_off, amount_off }) => percent_off === undefined || amount_off === undefined, {
      path: ['amount_off'],
      error: 'use percent_off or amount_off, not both',
    })
    .refine(({ amount_off, currency: code }) => amount_off !== undefined || code === undefined, {
      path: ['currency'],
      error: 'allowed only with amount_off',
    })
    .refine(
      ({ duration, duration_in_months }) => duration === 'repeating' || duration_in_months === undefined,
      {
        path: ['duration_in_months'],
        error: 'allowed only with the duration repeating',
      },
    ),
)

/** Requires an amount or a percentage, a currency for an amount, and the months of a repeating coupon. */
export function requiresOfCoupon(raw: Raw): string | undefined {
  const isMissing = (name: string) => raw[name] === undefined
  if (isMissing('percent_off') && isMissing('amount_off')) return 'percent_off'
  if (!isMissing('amount_off') && isMissing('percent_off') && isMissing('currency')) return 'currency'
  return raw.duration === 'repeating' && isMissing('duration_in_months') ? 'duration_in_months' : undefined
}

export const updateCouponParams = deferred(() => z.object({ name: couponName(), metadata }))
export const couponListParams = deferred(() => z.object({ ...pageParams, created: createdParam() }))

function couponRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/coupons',
      summary: 'Creates a coupon.',
      params: createCouponParams,
      requires: requiresOfCoupon,
      status: 201,
      returns: couponSchema,
      errors: { 404: ['resource_missing'] },
    },
    ({ unit, view, params }) => presentCoupon(view, createCoupon(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/coupons',
      summary: 'Lists coupons, newest first.',
      params: couponListParams,
      returns: couponList,
    },
    (call) => listCoupons(call, presentCoupon),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/coupons/:id',
      summary: 'Retrieves a coupon.',
      returns: couponSchema,
    },
    ({ view, id }) => presentCoupon(view, needCoupon(view, id, 'id')),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/coupons/:id',
      summary: 'Updates the name and metadata of a coupon.',
      params: updateCouponParams,
      returns: couponSchema,
    },
    ({ unit, view, params, id }) => presentCoupon(view, updateCoupon(unit, id, params)),
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/coupons/:id',
      summary: 'Deletes a coupon. Discounts that were redeemed go on.',
      returns: deletedCoupon,
    },
    ({ unit, id }) => deletedStub('coupon', deleteCoupon(unit, id).public_id),
  )
}

/** Presents a page of coupons, whose cursors are ids of the API. Throws what `listObjects` throws. */
export function listCoupons<Body extends Json>(
  call: Call<z.infer<ReturnType<typeof couponListParams>>>,
  present: (view: View, coupon: Coupon) => Body,
): List<Body> {
  const params = withCursors(call.params, (id, param) => {
    // A deleted coupon keeps its place.
    const coupon = newestNamed(call.view, id)
    if (!coupon) throw resourceMissing('coupon', id, param)
    return coupon.id
  })
  const filters = [NOT_DELETED, ...createdFilters(params.created)]
  return listObjects({ ...call, params }, 'coupon', filters, present)
}

/** Finds the newest coupon with an id of the API, also a deleted one; undefined for none. */
const newestNamed = (view: CurrentView, id: string): Coupon | undefined =>
  view.list('coupon', [{ field: 'public_id', is: id }], { limit: 1 })[0]

/** Finds the coupon with an id of the API. @throws ApiError resource_missing, also for a deleted one */
export function needCoupon(view: CurrentView, id: string, param: string): Coupon {
  const coupon = newestNamed(view, id)
  if (!coupon || coupon.deleted) throw resourceMissing('coupon', id, param)
  return coupon
}

/** Returns the internal id of the newest coupon with an id of the API. Without one, returns an empty id, to which no object refers. */
export const internalIdOrNone = (view: CurrentView, id: string): string => newestNamed(view, id)?.id ?? ''

/** Presents the field `coupon` of an object that names a coupon. Expansion finds the coupon also once its id is reused. */
export function couponReference(view: View, id: string | null): { coupon: string | null } {
  const coupon = id === null ? undefined : view.get('coupon', id)
  return { coupon: coupon?.public_id ?? null, ...internalId(coupon?.id) }
}

export const presentCoupon = (view: View, coupon: Coupon): CouponShape => ({
  ...common(view, 'coupon', coupon),
  id: coupon.public_id,
  name: coupon.name,
  percent_off: coupon.percent_off,
  amount_off: coupon.amount_off,
  currency: coupon.currency,
  duration: coupon.duration,
  duration_in_months: coupon.duration_in_months,
  max_redemptions: coupon.max_redemptions,
  redeem_by: coupon.redeem_by,
  applies_to: coupon.applies_to && { products: [...coupon.applies_to.products] },
  times_redeemed: coupon.times_redeemed,
  valid: coupon.valid,
  metadata: coupon.metadata,
})

export const couponResource: Resource<'coupon'> = {
  collection: 'coupons',
  present: presentCoupon,
  routes: couponRoutes,
  params: {
    id: 'An id of your choice. Default: a random one.',
    percent_off:
      'The percentage to take off: more than 0, at most 100, with up to two decimals. Use this or amount_off.',
    amount_off: 'The amount to take off, in the smallest currency unit. Needs currency.',
    currency: 'The currency of amount_off.',
    duration_in_months: 'The number of months, for the duration repeating.',
    redeem_by: 'When it can no longer be redeemed, in Unix seconds on the main clock.',
    applies_to: 'The lines to reduce. Default: all.',
    'applies_to.products': 'The ids of the products.',
  },
}
