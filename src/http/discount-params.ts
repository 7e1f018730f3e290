import * as z from 'zod'
import { MAX_DISCOUNTS } from '../core/discount.ts'
import type { DiscountParam } from '../engine/resources/redemption.ts'
import { deferred } from './deferred.ts'
import { reference } from './fields.ts'

const FIELDS = ['coupon', 'promotion_code', 'discount'] as const

type Given = { readonly [Field in (typeof FIELDS)[number]]?: string | null | undefined }

/** Requires exactly one of the fields. */
function requireOne(given: Given, context: z.RefinementCtx): void {
  const [first, second] = FIELDS.filter((field) => given[field] != null)
  if (second)
    context.addIssue({ code: 'custom', path: [second], message: `use ${first} or ${second}, not both` })
  if (!first) context.addIssue({ code: 'custom', path: ['coupon'], message: 'expected a coupon' })
}

const discount = deferred(() =>
  z
    .object({
      coupon: reference.optional(),
      promotion_code: reference.optional(),
      discount: reference.optional(),
    })
    .superRefine(requireOne),
)

/** A discount of a phase. The fields can be null, so that a request can repeat a phase as it is shown. */
const phaseDiscount = deferred(() =>
  z
    .object({
      coupon: reference.nullable().optional(),
      promotion_code: reference.nullable().optional(),
      discount: reference.nullable().optional(),
    })
    .superRefine(requireOne),
)

/** The parameter `discounts`: an empty value removes all. */
export const discountsParam = deferred(() =>
  z
    .union([z.literal(''), z.array(discount()).max(MAX_DISCOUNTS)], {
      error: "expected a list of discounts, or '' for none",
    })
    .nullable()
    .optional(),
)

/** The parameter `discounts` of a phase: an empty value is none, null leaves the discounts as they are. */
export const phaseDiscountsParam = deferred(() =>
  z
    .union([z.literal(''), z.null(), z.array(phaseDiscount()).max(MAX_DISCOUNTS)], {
      error: "expected a list of discounts, or '' for none",
    })
    .optional(),
)

/** Converts the parameter `discounts` of a phase or its item: undefined leaves the discounts as they are. */
export const plannedDiscountsOf = (
  given: z.output<ReturnType<typeof phaseDiscountsParam>>,
): readonly DiscountParam[] | undefined =>
  given == null
    ? undefined
    : (given || []).map((each) => ({
        coupon: each.coupon ?? undefined,
        promotion_code: each.promotion_code ?? undefined,
        discount: each.discount ?? undefined,
      }))

/** Converts the parameter `discounts`: undefined leaves the discounts unchanged. */
export const discountsOf = (
  given: z.output<ReturnType<typeof discountsParam>>,
): readonly DiscountParam[] | undefined => (given === undefined ? undefined : given || [])

/** Converts the discounts of an object in a request. */
export const withDiscountsOf = <Given extends { discounts?: z.output<ReturnType<typeof discountsParam>> }>(
  given: Given,
) => ({
  ...given,
  discounts: discountsOf(given.discounts),
})

/** A coupon or promotion code of a customer: an empty value removes the discount. */
export const clearableReference = deferred(() =>
  z
    .union([z.literal(''), reference])
    .nullable()
    .optional(),
)

/** Descriptions of the parameter `discounts` at a path. */
export const discountsTexts = (path: string, of: string): Readonly<Record<string, string>> => ({
  [path]: `The discounts of ${of}, in the order in which they apply: at most ${MAX_DISCOUNTS}. An empty value is none.`,
  [`${path}.coupon`]: 'The id of a coupon to redeem. Use this, promotion_code or discount.',
  [`${path}.promotion_code`]: 'The id of a promotion code to redeem.',
  [`${path}.discount`]: 'The id of a discount to keep.',
})
