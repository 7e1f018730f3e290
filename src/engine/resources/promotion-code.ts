import { Change } from '../../core/change.ts'
import { whyNotRedeemable } from '../../core/coupon.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { isSameJson } from '../../core/json-text.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { inactiveCode, type PromotionCode } from '../../core/promotion-code.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { findCoupon } from './coupon.ts'

export type PromotionCodeParams = {
  coupon: string
  code?: string | undefined
  active?: boolean | undefined
  customer?: string | undefined
  expires_at?: number | undefined
  max_redemptions?: number | undefined
  restrictions?:
    | {
        first_time_transaction?: boolean | undefined
        minimum_amount?: number | undefined
        minimum_amount_currency?: string | undefined
      }
    | undefined
  metadata?: MetadataParam | undefined
}

const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const CODE_LENGTH = 8

/** paytwin: how many active promotion codes a coupon can have. Its end makes all of them inactive in one step. */
export const MAX_ACTIVE_CODES = 1_000

/**
 * Creates a promotion code of a coupon.
 * @throws ApiError resource_missing; parameter_invalid, param code, when another active code is the same, regardless of
 *   case; param coupon, also for too many active codes; param expires_at or max_redemptions
 * See docs/contract/discounts.md#promotion-codes.
 */
export function createPromotionCode(unit: UnitOfWork, params: PromotionCodeParams): PromotionCode {
  const { restrictions = {}, max_redemptions = null, expires_at = null, active = true } = params
  const coupon = findCoupon(unit, params.coupon, 'coupon')
  if (!coupon.valid) throw parameterInvalid('coupon', `The coupon '${coupon.public_id}' is no longer valid`)
  if (params.customer !== undefined) unit.find('customer', params.customer, 'customer')
  if (expires_at !== null && expires_at <= unit.now)
    throw parameterInvalid('expires_at', `expires_at must be after the current time, ${unit.now}`)
  if (expires_at !== null && coupon.redeem_by !== null && expires_at > coupon.redeem_by)
    throw parameterInvalid('expires_at', `expires_at must be at most the redeem_by of the coupon`)
  if (max_redemptions !== null && coupon.max_redemptions !== null && max_redemptions > coupon.max_redemptions)
    throw parameterInvalid('max_redemptions', `max_redemptions must be at most that of the coupon`)
  const id = unit.idFor('promotion_code')
  const code = params.code ?? unit.ids.derived(`promotion code ${id}`, CODE_LENGTH, CODE_ALPHABET)
  if (active) checkCanBeActive(unit, coupon.id, code)
  const change = new Change()
  const created = change.create(
    'promotion_code',
    {
      id,
      created: unit.now,
      code,
      code_key: code.toLowerCase(),
      coupon: coupon.id,
      customer: params.customer ?? null,
      expires_at,
      max_redemptions,
      restrictions: {
        first_time_transaction: restrictions.first_time_transaction ?? false,
        minimum_amount: restrictions.minimum_amount ?? null,
        minimum_amount_currency: restrictions.minimum_amount_currency ?? null,
      },
      active,
      times_redeemed: 0,
      metadata: mergeMetadata({}, params.metadata),
    },
    'promotion_code.created',
  )
  apply(unit, change)
  return created
}

/** @throws ApiError parameter_invalid, param code or coupon */
function checkCanBeActive(unit: UnitOfWork, coupon: string, code: string): void {
  if (unit.store.totals.activeCodes([coupon], MAX_ACTIVE_CODES) >= MAX_ACTIVE_CODES)
    throw parameterInvalid('coupon', `A coupon can have at most ${MAX_ACTIVE_CODES} active promotion codes`)
  const [other] = unit.store.objects.list(
    'promotion_code',
    unit.owner,
    [
      { field: 'code_key', is: code.toLowerCase() },
      { field: 'active', is: 1 },
    ],
    { limit: 1 },
  )
  if (other) throw parameterInvalid('code', `Another active promotion code is '${other.code}'`)
}

/**
 * Updates the metadata of a promotion code, or switches it on or off.
 * @throws ApiError resource_missing; parameter_invalid, param active, when it can no longer be redeemed; param code,
 *   when another active code is the same; param coupon, when its coupon has too many active ones
 */
export function updatePromotionCode(
  unit: UnitOfWork,
  id: string,
  { active, metadata }: Pick<PromotionCodeParams, 'active' | 'metadata'>,
): PromotionCode {
  const code = unit.find('promotion_code', id)
  if (active && !code.active) {
    const why = unit.need('coupon', code.coupon).valid
      ? whyNotRedeemable(code, code.expires_at, unit.now)
      : 'belongs to a coupon that is no longer valid'
    if (why) throw parameterInvalid('active', `The promotion code '${code.code}' ${why}`)
    checkCanBeActive(unit, code.coupon, code.code)
  }
  const after: PromotionCode = {
    ...code,
    active: active ?? code.active,
    metadata: mergeMetadata(code.metadata, metadata),
  }
  if (isSameJson(after, code)) return code
  const change = new Change()
  change.update('promotion_code', code, () => after, 'promotion_code.updated')
  apply(unit, change)
  return after
}

/** Makes a promotion code inactive at its `expires_at`, without an event. */
export function expirePromotionCode(unit: UnitOfWork, id: string): void {
  const change = new Change()
  change.update('promotion_code', unit.need('promotion_code', id), inactiveCode)
  apply(unit, change)
}
