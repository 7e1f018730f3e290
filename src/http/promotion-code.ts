import * as z from 'zod'
import { assert } from '../core/errors.ts'
import { MAX_AMOUNT } from '../core/money.ts'
import type { PromotionCode } from '../core/promotion-code.ts'
import type { Filter, View } from '../engine/history/view.ts'
import { createPromotionCode, updatePromotionCode } from '../engine/resources/promotion-code.ts'
import type { Api, Call } from './api.ts'
import { internalIdOrNone, maxRedemptions, presentCoupon } from './coupon.ts'
import { deferred } from './deferred.ts'
import { currency, instant, metadata, reference } from './fields.ts'
import { createdParam, equals, filtersOf, listObjects, pageParams } from './pagination.ts'
import { common, type Resource, retrieve } from './resource.ts'
import { type PromotionCodeShape, promotionCodeList, promotionCodeSchema } from './schemas/discount.ts'

const restrictions = deferred(() =>
  z
    .object({
      first_time_transaction: z.boolean().optional(),
      minimum_amount: z.int().min(1).max(MAX_AMOUNT).optional(),
      minimum_amount_currency: currency.optional(),
    })
    .refine(
      ({ minimum_amount, minimum_amount_currency }) =>
        minimum_amount === undefined || minimum_amount_currency !== undefined,
      { path: ['minimum_amount_currency'], error: 'needed with minimum_amount' },
    )
    .refine(
      ({ minimum_amount, minimum_amount_currency }) =>
        minimum_amount !== undefined || minimum_amount_currency === undefined,
      { path: ['minimum_amount'], error: 'needed with minimum_amount_currency' },
    ),
)

export const createPromotionCodeParams = deferred(() =>
  z.object({
    coupon: reference,
    code: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,200}$/, { error: 'expected 1 to 200 letters, digits and hyphens' })
      .optional(),
    active: z.boolean().optional(),
    customer: reference.optional(),
    expires_at: instant.optional(),
    max_redemptions: maxRedemptions().optional(),
    restrictions: restrictions().optional(),
    metadata,
  }),
)
export const updatePromotionCodeParams = deferred(() =>
  z.object({ active: z.boolean().optional(), metadata }),
)
export const promotionCodeListParams = deferred(() =>
  z.object({
    ...pageParams,
    code: z.string().max(200).optional(),
    coupon: reference.optional(),
    customer: reference.optional(),
    active: z.boolean().optional(),
    created: createdParam(),
  }),
)

function promotionCodeRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/promotion_codes',
      summary: 'Creates a promotion code of a coupon.',
      params: createPromotionCodeParams,
      status: 201,
      returns: promotionCodeSchema,
      errors: { 404: ['resource_missing'] },
    },
    ({ unit, view, params }) => presentPromotionCode(view, createPromotionCode(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/promotion_codes',
      summary: 'Lists promotion codes, newest first.',
      params: promotionCodeListParams,
      returns: promotionCodeList,
    },
    (call) => listObjects(call, 'promotion_code', promotionCodeFilters(call), presentPromotionCode),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/promotion_codes/:id',
      summary: 'Retrieves a promotion code.',
      returns: promotionCodeSchema,
    },
    ({ view, id }) => presentPromotionCode(view, retrieve(view, 'promotion_code', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/promotion_codes/:id',
      summary: 'Updates the metadata of a promotion code, or switches it on or off.',
      params: updatePromotionCodeParams,
      returns: promotionCodeSchema,
    },
    ({ unit, view, params, id }) => presentPromotionCode(view, updatePromotionCode(unit, id, params)),
  )
}

/** Converts the parameters of a list to filters. */
export const promotionCodeFilters = ({
  view,
  params,
}: Pick<Call<z.infer<ReturnType<typeof promotionCodeListParams>>>, 'view' | 'params'>): Filter[] => [
  ...equals('code_key', params.code?.toLowerCase()),
  ...equals('coupon', params.coupon && internalIdOrNone(view, params.coupon)),
  ...(params.active === undefined ? [] : [{ field: 'active', is: params.active ? 1 : 0 }]),
  ...filtersOf(params, 'customer'),
]

function presentPromotionCode(view: View, code: PromotionCode): PromotionCodeShape {
  const coupon = view.get('coupon', code.coupon)
  assert(coupon, `the coupon of ${code.id} exists`)
  return {
    ...common(view, 'promotion_code', code),
    active: code.active,
    code: code.code,
    coupon: presentCoupon(view, coupon),
    customer: code.customer,
    expires_at: code.expires_at,
    max_redemptions: code.max_redemptions,
    restrictions: code.restrictions,
    times_redeemed: code.times_redeemed,
    metadata: code.metadata,
  }
}

export const promotionCodeResource: Resource<'promotion_code'> = {
  collection: 'promotion_codes',
  present: presentPromotionCode,
  routes: promotionCodeRoutes,
  params: {
    coupon: 'The id of the coupon.',
    code: 'The code: letters, digits and hyphens. It is unique among active codes, regardless of case. Default: a random one.',
    active: 'Whether it can be redeemed. Default for a new code: true.',
    expires_at: 'When it can no longer be redeemed, in Unix seconds on the main clock.',
    'restrictions.minimum_amount': 'The least amount of the purchase, in the smallest currency unit.',
  },
  queryParams: {
    code: 'Only codes that are the same, regardless of case.',
    coupon: 'Only codes of this coupon.',
    customer: 'Only codes of this customer.',
    active: 'Only codes that can be redeemed, or only others.',
  },
}
