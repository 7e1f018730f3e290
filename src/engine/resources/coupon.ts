import { Change } from '../../core/change.ts'
import type { Coupon, CouponDuration } from '../../core/coupon.ts'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import { isSameJson } from '../../core/json-text.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'

export type CouponParams = {
  id?: string | undefined
  name?: string | null | undefined
  percent_off?: number | undefined
  amount_off?: number | undefined
  currency?: string | undefined
  duration: CouponDuration
  duration_in_months?: number | undefined
  max_redemptions?: number | undefined
  redeem_by?: number | undefined
  applies_to?: { products: readonly string[] } | undefined
  metadata?: MetadataParam | undefined
}

const ID_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789'
const ID_LENGTH = 8

/**
 * Creates a coupon.
 * @throws ApiError parameter_invalid, param id, when another coupon has it; param redeem_by; resource_missing
 * See docs/contract/discounts.md#coupons.
 */
export function createCoupon(unit: UnitOfWork, params: CouponParams): Coupon {
  const { redeem_by, applies_to } = params
  const id = unit.idFor('coupon')
  const public_id = params.id ?? unit.ids.derived(`coupon ${id}`, ID_LENGTH, ID_ALPHABET)
  if (newestCoupon(unit, public_id)?.deleted === false)
    throw parameterInvalid('id', `Another coupon has the id '${public_id}'`)
  if (redeem_by !== undefined && redeem_by <= unit.now)
    throw parameterInvalid('redeem_by', `redeem_by must be after the current time, ${unit.now}`)
  applies_to?.products.forEach((product, index) => {
    unit.find('product', product, `applies_to[products][${index}]`)
  })
  const change = new Change()
  const coupon = change.create(
    'coupon',
    {
      id,
      created: unit.now,
      public_id,
      name: params.name ?? null,
      percent_off: params.percent_off ?? null,
      amount_off: params.amount_off ?? null,
      currency: params.currency ?? null,
      duration: params.duration,
      duration_in_months: params.duration_in_months ?? null,
      max_redemptions: params.max_redemptions ?? null,
      redeem_by: redeem_by ?? null,
      applies_to: applies_to ? { products: [...new Set(applies_to.products)] } : null,
      times_redeemed: 0,
      valid: true,
      metadata: mergeMetadata({}, params.metadata),
      deleted: false,
    },
    'coupon.created',
  )
  apply(unit, change)
  return coupon
}

/** Returns the newest coupon with an id of the API, which may be deleted; undefined for none. */
export const newestCoupon = (unit: UnitOfWork, public_id: string): Coupon | undefined =>
  unit.store.objects.list('coupon', unit.owner, [{ field: 'public_id', is: public_id }], { limit: 1 })[0]

/**
 * Finds a coupon that a request names.
 * @throws ApiError resource_missing; for a deleted coupon parameter_invalid, but resource_missing if the path names it
 */
export function findCoupon(unit: UnitOfWork, public_id: string, param = 'id'): Coupon {
  const coupon = newestCoupon(unit, public_id)
  if (coupon && !coupon.deleted) return coupon
  if (!coupon || param === 'id') throw resourceMissing('coupon', public_id, param)
  throw parameterInvalid(param, `The coupon '${public_id}' was deleted`)
}

/** Updates the name and metadata of a coupon. @throws ApiError resource_missing */
export function updateCoupon(
  unit: UnitOfWork,
  id: string,
  { name, metadata }: Pick<CouponParams, 'name' | 'metadata'>,
): Coupon {
  const coupon = findCoupon(unit, id)
  const after: Coupon = {
    ...coupon,
    name: name === undefined ? coupon.name : name,
    metadata: mergeMetadata(coupon.metadata, metadata),
  }
  if (isSameJson(after, coupon)) return coupon
  const change = new Change()
  change.update('coupon', coupon, () => after, 'coupon.updated')
  apply(unit, change)
  return after
}

/**
 * Deletes a coupon: it can no longer be redeemed. Its discounts continue.
 * @throws ApiError resource_missing
 * See docs/contract/discounts.md#coupons.
 */
export function deleteCoupon(unit: UnitOfWork, id: string): Coupon {
  const coupon = findCoupon(unit, id)
  const change = new Change()
  const deleted = change.update(
    'coupon',
    coupon,
    (latest) => ({ ...latest, valid: false, deleted: true }),
    'coupon.deleted',
  )
  apply(unit, change)
  return deleted
}

/** Ends the validity of a coupon at its `redeem_by`, without an event. */
export function expireCoupon(unit: UnitOfWork, id: string): void {
  const coupon = unit.need('coupon', id)
  const change = new Change()
  change.update('coupon', coupon, (latest) => ({ ...latest, valid: false }))
  apply(unit, change)
}
