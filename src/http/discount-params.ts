import * as z from 'zod'
import { MAX_DISCOUNTS } from '../core/discount.ts'
import type { DiscountParam } from '../engine/resources/redemption.ts'
import { reference } from './fields.ts'

const FIELDS = ['coupon', 'promotion_code', 'discount'] as const

const discount = z
  .object({
    coupon: reference.optional(),
    promotion_code: reference.optional(),
    discount: reference.optional(),
  })
  .superRefine((given, context) => {
    const [first, second] = FIELDS.filter((field) => given[field] !== undefined)
    if (second)
      context.addIssue({ code: 'custom', path: [second], message: `use ${first} or ${second}, not both` })
    if (!first) context.addIssue({ code: 'custom', path: ['coupon'], message: 'expected a coupon' })
  })

/** The parameter `discounts`: an empty value removes all. */
export const discountsParam = z
  .union([z.literal(''), z.array(discount).max(MAX_DISCOUNTS)], {
    error: "expected a list of discounts, or '' for none",
  })
  .nullable()
  .optional()

/** The parameter `discounts` of a phase: an empty value is none, null leaves the discounts as they are. */
export const phaseDiscountsParam = z
  .union([z.literal(''), z.null(), z.array(discount).max(MAX_DISCOUNTS)], {
    error: "expected a list of discounts, or '' for none",
  })
  .optional()

/** Converts the parameter `discounts` of a phase or its item: undefined leaves the discounts as they are. */
export const plannedDiscountsOf = (
  given: z.output<typeof phaseDiscountsParam>,
): readonly DiscountParam[] | undefined => (given === undefined || given === null ? undefined : given || [])

/** Converts the parameter `discounts`: undefined leaves the discounts unchanged. */
export const discountsOf = (given: z.output<typeof discountsParam>): readonly DiscountParam[] | undefined =>
  given === undefined ? undefined : given || []

/** Converts the discounts of an object in a request. */
export const withDiscountsOf = <Given extends { discounts?: z.output<typeof discountsParam> }>(
  given: Given,
) => ({
  ...given,
  discounts: discountsOf(given.discounts),
})

/** A coupon or promotion code of a customer: an empty value removes the discount. */
export const clearableReference = z
  .union([z.literal(''), reference])
  .nullable()
  .optional()

/** Descriptions of the parameter `discounts` at a path. */
export const discountsTexts = (path: string, of: string): Readonly<Record<string, string>> => ({
  [path]: `The discounts of ${of}, in the order in which they apply: at most ${MAX_DISCOUNTS}. An empty value is none.`,
  [`${path}.coupon`]: 'The id of a coupon to redeem. Use this, promotion_code or discount.',
  [`${path}.promotion_code`]: 'The id of a promotion code to redeem.',
  [`${path}.discount`]: 'The id of a discount to keep.',
})
