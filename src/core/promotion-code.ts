import { copyWith } from './deferred-value.ts'
import type { Metadata } from './metadata.ts'

/** The conditions of a purchase for a promotion code. */
type Restrictions = {
  readonly first_time_transaction: boolean
  /** In the smallest unit of `minimum_amount_currency`. */
  readonly minimum_amount: number | null
  readonly minimum_amount_currency: string | null
}

/** A code that customers enter to get a coupon. See docs/contract/discounts.md#promotion-codes. */
export type PromotionCode = {
  readonly id: string
  readonly created: number
  readonly code: string
  /** The code in lowercase, which is unique among active codes. Not part of the API's object. */
  readonly code_key: string
  /** The internal id of its coupon. */
  readonly coupon: string
  /** The only customer that can redeem it; null for all. */
  readonly customer: string | null
  /** Unix seconds on the merchant's clock from which it cannot be redeemed. */
  readonly expires_at: number | null
  readonly max_redemptions: number | null
  readonly restrictions: Restrictions
  /** Whether it can be redeemed: not switched off, not used up, its time has not passed, and its coupon is valid. */
  readonly active: boolean
  readonly times_redeemed: number
  readonly metadata: Metadata
}

/** Counts a redemption of a promotion code. */
export function redeemedCode(code: PromotionCode): PromotionCode {
  const times_redeemed = code.times_redeemed + 1
  return copyWith(code, { times_redeemed, active: code.active && times_redeemed !== code.max_redemptions })
}

/** Makes a promotion code inactive, because it has expired or its coupon is no longer valid. */
export const inactiveCode = (code: PromotionCode): PromotionCode => ({ ...code, active: false })
