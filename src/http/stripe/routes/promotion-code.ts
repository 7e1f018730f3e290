import type Stripe from 'stripe'
import * as z from 'zod'
import { createPromotionCode, updatePromotionCode } from '../../../engine/resources/promotion-code.ts'
import { deferred } from '../../deferred.ts'
import { reference } from '../../fields.ts'
import {
  createPromotionCodeParams,
  promotionCodeFilters,
  promotionCodeListParams,
  updatePromotionCodeParams,
} from '../../promotion-code.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { withParamNames } from '../param-names.ts'
import { presentPromotionCode } from '../present/discount.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const code = returning<Wire<Stripe.PromotionCode>>('promotion_code')
const PATH = '/v1/promotion_codes'

const { coupon: _, ...fields } = createPromotionCodeParams().shape
const createParams = deferred(() =>
  z.object({
    promotion: z.object({ type: z.literal('coupon'), coupon: reference }),
    ...fields,
  }),
)

export function promotionCodeRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: PATH,
      summary: 'Creates a promotion code of a coupon.',
      params: createParams,
      returns: code,
    },
    ({ unit, view, params: { promotion, ...params } }) => {
      const create = () => createPromotionCode(unit, { ...params, coupon: promotion.coupon })
      return presentPromotionCode(view, withParamNames({ coupon: 'promotion[coupon]' }, create))
    },
  )
  api.read(
    {
      method: 'get',
      path: PATH,
      summary: 'Lists promotion codes.',
      params: promotionCodeListParams,
      returns: returningList<Wire<Stripe.PromotionCode>>('promotion_code'),
    },
    (call) => listKind(call, 'promotion_code', promotionCodeFilters(call), presentPromotionCode),
  )
  api.read(
    { method: 'get', path: `${PATH}/:id`, summary: 'Retrieves a promotion code.', returns: code },
    ({ view, id }) => presentPromotionCode(view, retrieve(view, 'promotion_code', id)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id`,
      summary: 'Updates the metadata of a promotion code, or switches it on or off.',
      params: updatePromotionCodeParams,
      returns: code,
    },
    ({ unit, view, params, id }) => presentPromotionCode(view, updatePromotionCode(unit, id, params)),
  )
}
