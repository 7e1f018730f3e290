import type { StoredKinds } from '../stored-kind.ts'

/** The columns of coupons, promotion codes and discounts. */
export const DISCOUNTS_COLUMNS = {
  coupon: {
    columns: {
      id: 'text',
      created: 'integer',
      public_id: 'text',
      name: 'text',
      // A number with decimals. No other type of column stores it unchanged.
      percent_off: 'json',
      amount_off: 'integer',
      currency: 'text',
      duration: 'text',
      duration_in_months: 'integer',
      max_redemptions: 'integer',
      redeem_by: 'integer',
      applies_to: 'json',
      times_redeemed: 'integer',
      valid: 'boolean',
      metadata: 'json',
      deleted: 'boolean',
    },
    indexes: [{ condition: 'public_id =', index: 'coupon_public_id' }],
  },
  promotion_code: {
    columns: {
      id: 'text',
      created: 'integer',
      code: 'text',
      code_key: 'text',
      coupon: 'text',
      customer: 'text',
      expires_at: 'integer',
      max_redemptions: 'integer',
      restrictions: 'json',
      active: 'boolean',
      times_redeemed: 'integer',
      metadata: 'json',
    },
    privateFields: ['code_key'],
    indexes: [
      { condition: 'code_key =', index: 'promotion_code_key' },
      { condition: 'customer =', index: 'promotion_code_customer' },
      { condition: 'coupon =', index: 'promotion_code_coupon' },
    ],
  },
  discount: {
    columns: {
      id: 'text',
      created: 'integer',
      customer: 'text',
      subscription: 'text',
      subscription_item: 'text',
      invoice: 'text',
      invoice_item: 'text',
      coupon: 'text',
      promotion_code: 'text',
      terms: 'json',
      start: 'integer',
      end: 'integer',
      used_by: 'text',
      deleted: 'boolean',
      test_clock: 'text',
    },
    privateFields: ['terms', 'used_by'],
  },
} as const satisfies Partial<StoredKinds>
