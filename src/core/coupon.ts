import { copyWith } from './deferred-value.ts'
import type { Metadata } from './metadata.ts'

export const COUPON_DURATIONS = ['once', 'repeating', 'forever'] as const
export type CouponDuration = (typeof COUPON_DURATIONS)[number]

/** The terms of a coupon. Every discount has a copy, because its coupon can be deleted before the discount ends. */
export type CouponTerms = {
  /** Up to two decimals, more than 0 and at most 100; null for an amount. */
  readonly percent_off: number | null
  /** In the smallest unit of `currency`; null for a percentage. */
  readonly amount_off: number | null
  /** null for a percentage, which applies to every currency. */
  readonly currency: string | null
  readonly duration: CouponDuration
  /** The products whose lines are reduced; null for all lines. */
  readonly applies_to: { readonly products: readonly string[] } | null
}

/** A coupon. See docs/contract/discounts.md#coupons. */
export type Coupon = CouponTerms & {
  /** The internal id. */
  readonly id: string
  readonly created: number
  /** The id in the API: chosen by the merchant, unique among its coupons that are not deleted. */
  readonly public_id: string
  readonly name: string | null
  readonly duration_in_months: number | null
  readonly max_redemptions: number | null
  /** Unix seconds on the merchant's clock from which it cannot be redeemed. */
  readonly redeem_by: number | null
  readonly times_redeemed: number
  /** Whether it can be redeemed: not deleted, not used up, and its time has not passed. */
  readonly valid: boolean
  readonly metadata: Metadata
  readonly deleted: boolean
}

/** Returns the terms that a discount copies. */
export const termsOf = ({
  percent_off,
  amount_off,
  currency,
  duration,
  applies_to,
}: CouponTerms): CouponTerms => ({ percent_off, amount_off, currency, duration, applies_to })

/** Returns why a coupon or promotion code cannot be redeemed, as the end of a sentence; null if it can. */
export function whyNotRedeemable(
  { max_redemptions, times_redeemed }: Pick<Coupon, 'max_redemptions' | 'times_redeemed'>,
  end: number | null,
  now: number,
): string | null {
  if (end !== null && end <= now) return 'has expired'
  return max_redemptions !== null && times_redeemed >= max_redemptions
    ? `has been redeemed ${max_redemptions} times, which is its maximum`
    : null
}

/** Counts a redemption of a coupon. */
export function redeemedCoupon(coupon: Coupon): Coupon {
  const times_redeemed = coupon.times_redeemed + 1
  return copyWith(coupon, {
    times_redeemed,
    valid: coupon.valid && times_redeemed !== coupon.max_redemptions,
  })
}
