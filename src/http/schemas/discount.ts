import * as z from 'zod'
import { COUPON_DURATIONS } from '../../core/coupon.ts'
import { component, type Shape } from './component.ts'
import {
  common,
  commonOf,
  deletedStub,
  listOf,
  metadata,
  money,
  reference,
  seconds,
  testClock,
  text,
} from './fields.ts'

export const couponSchema = component('Coupon', () =>
  z
    .object({
      ...common('coupon', 'coupon'),
      id: text('The id: of your choice, or random.'),
      name: text('The name that customers see.').nullable(),
      percent_off: z
        .number()
        .nullable()
        .describe('The percentage that is taken off, with up to two decimals; null for an amount.'),
      amount_off: money('The amount that is taken off; null for a percentage').nullable(),
      currency: text('The currency of amount_off; null for a percentage.').nullable(),
      duration: z
        .enum(COUPON_DURATIONS)
        .describe(
          'How long its discounts last. once: the first invoice that is reduced. repeating: duration_in_months. forever: without end.',
        ),
      duration_in_months: z
        .int()
        .nullable()
        .describe('For repeating: the number of months from the start of a discount.'),
      max_redemptions: z.int().nullable().describe('How many times it can be redeemed; null for no limit.'),
      redeem_by: seconds('When it can no longer be redeemed; null for never').nullable(),
      applies_to: z
        .object({ products: z.array(text('The id of a product.')).describe('The products.') })
        .nullable()
        .describe('The products whose lines are reduced; null for all lines.'),
      times_redeemed: z.int().describe('How many times it was redeemed.'),
      valid: z.boolean().describe('Whether it can be redeemed.'),
      metadata: metadata(),
    })
    .describe('A percentage or an amount that discounts take off invoices.'),
)
export type CouponShape = Shape<typeof couponSchema>
export const couponList = listOf(couponSchema)
export const deletedCoupon = deletedStub('DeletedCoupon', 'coupon')

export const promotionCodeSchema = component('PromotionCode', () =>
  z
    .object({
      ...commonOf('promotion_code'),
      active: z.boolean().describe('Whether it can be redeemed.'),
      code: text('The code that customers enter.'),
      coupon: couponSchema.schema.describe('The coupon.'),
      customer: reference(
        'The only customer that can redeem it; null for all.',
        'Customer',
        'DeletedCustomer',
      ).nullable(),
      expires_at: seconds('When it can no longer be redeemed; null for never').nullable(),
      max_redemptions: z.int().nullable().describe('How many times it can be redeemed; null for no limit.'),
      restrictions: z
        .object({
          first_time_transaction: z
            .boolean()
            .describe('Whether only customers without a paid invoice or payment can redeem it.'),
          minimum_amount: money('The least amount of the purchase; null for any').nullable(),
          minimum_amount_currency: text('The currency of minimum_amount.').nullable(),
        })
        .describe('What a purchase needs.'),
      times_redeemed: z.int().describe('How many times it was redeemed.'),
      metadata: metadata(),
    })
    .describe('A code that customers enter to get a coupon.'),
)
export type PromotionCodeShape = Shape<typeof promotionCodeSchema>
export const promotionCodeList = listOf(promotionCodeSchema)

const discountFields = () => ({
  ...commonOf('discount'),
  coupon: couponSchema.schema.describe('The coupon.'),
  promotion_code: reference('The promotion code that was redeemed, if any.', 'PromotionCode').nullable(),
  customer: reference('The customer.', 'Customer', 'DeletedCustomer'),
  subscription: reference('The subscription that has the discount, if any.', 'Subscription').nullable(),
  subscription_item: text('The item of the subscription that has the discount, if any.').nullable(),
  invoice: reference('The manual invoice that has the discount, if any.', 'Invoice').nullable(),
  invoice_item: reference('The invoice item that has the discount, if any.', 'InvoiceItem').nullable(),
  start: seconds('When it began'),
  end: seconds('When it ends; null for none by the calendar').nullable(),
  test_clock: testClock(),
})

export const discountSchema = component('Discount', () =>
  z.object(discountFields()).describe('A coupon that was redeemed.'),
)
export type DiscountShape = Shape<typeof discountSchema>

export const deletedDiscount = component('DeletedDiscount', () =>
  z
    .object({ ...discountFields(), deleted: z.literal(true).describe('Always true.') })
    .describe('A discount that was removed, with its last values.'),
)

/** The fields with the discount amounts of an invoice and its lines. */
export const discountAmounts = (description: string) =>
  z
    .array(
      z.object({
        amount: money('The amount'),
        discount: reference('The discount.', 'Discount'),
      }),
    )
    .describe(description)

/** The ids of discounts. */
export const discountRefs = (description: string) =>
  z.array(reference('A discount.', 'Discount')).describe(description)
