import * as z from 'zod'
import { INTERVAL_UNITS } from '../core/calendar.ts'
import { MAX_AMOUNT } from '../core/money.ts'
import { isWithinThreeYears, ROUNDINGS, TIERS_MODES, USAGE_TYPES } from '../core/price.ts'
import { DECIMAL_PLACES, isWithinMaximum } from '../core/price-amount.ts'
import { deferred } from './deferred.ts'
import { currency, metadata, optionalText, reference, text } from './fields.ts'
import type { Requires } from './params.ts'

/** paytwin: the maximum number of tiers. */
const MAX_TIERS = 100

const wholeAmount = deferred(() => z.int().min(0).max(MAX_AMOUNT))
const DECIMAL_PATTERN = new RegExp(`^\\d{1,8}(?:\\.\\d{1,${DECIMAL_PLACES}})?$`)
const decimalAmount = deferred(() =>
  z
    .string()
    .regex(DECIMAL_PATTERN, {
      abort: true,
      error: `expected a string such as "0.5", with at most ${DECIMAL_PLACES} decimals`,
    })
    .refine(isWithinMaximum, { error: `expected at most ${MAX_AMOUNT}` }),
)

const amounts = {
  unit_amount: wholeAmount().optional(),
  unit_amount_decimal: decimalAmount().optional(),
}

type AmountParams = { unit_amount?: number | undefined; unit_amount_decimal?: string | undefined }

const hasOneForm = ({ unit_amount, unit_amount_decimal }: AmountParams): boolean =>
  unit_amount === undefined || unit_amount_decimal === undefined
const oneForm = {
  path: ['unit_amount_decimal'],
  error: 'use unit_amount or unit_amount_decimal, not both',
}

/** Reports whether an amount is given. An issue at a value that is not given is a missing parameter. */
const hasAmount = ({ unit_amount, unit_amount_decimal }: AmountParams): boolean =>
  unit_amount !== undefined || unit_amount_decimal !== undefined
const missingAmount = { path: ['unit_amount'], error: 'expected an amount' }

const recurring = deferred(() =>
  z
    .object({ interval: z.enum(INTERVAL_UNITS), interval_count: z.int().min(1).default(1) })
    .refine(isWithinThreeYears, {
      path: ['interval_count'],
      error: 'expected an interval of at most 3 years',
    }),
)

/** See docs/contract/usage.md#metered-prices. */
export const meteredRecurring = deferred(() =>
  z
    .object({
      interval: z.enum(INTERVAL_UNITS),
      interval_count: z.int().min(1).default(1),
      usage_type: z.enum(USAGE_TYPES).optional(),
      meter: reference.optional(),
    })
    .refine(isWithinThreeYears, {
      path: ['interval_count'],
      error: 'expected an interval of at most 3 years',
    })
    .refine(({ usage_type, meter }) => usage_type !== 'metered' || meter !== undefined, {
      path: ['meter'],
      error: 'expected a meter',
    })
    .refine(({ usage_type, meter }) => usage_type === 'metered' || meter === undefined, {
      path: ['meter'],
      error: 'only allowed with the usage_type metered',
    }),
)

const tier = deferred(() =>
  z
    .object({
      up_to: z.union([z.int().min(1), z.literal('inf')], {
        error: "expected an integer of at least 1, or 'inf'",
      }),
      ...amounts,
      flat_amount: wholeAmount().optional(),
      flat_amount_decimal: decimalAmount().optional(),
    })
    .refine(hasOneForm, oneForm)
    .refine(
      ({ flat_amount, flat_amount_decimal }) =>
        flat_amount === undefined || flat_amount_decimal === undefined,
      { path: ['flat_amount_decimal'], error: 'use flat_amount or flat_amount_decimal, not both' },
    )
    .refine(
      ({ flat_amount, flat_amount_decimal, ...unit }) =>
        hasAmount(unit) || flat_amount !== undefined || flat_amount_decimal !== undefined,
      missingAmount,
    ),
)

const tiers = deferred(() =>
  z
    .array(tier())
    .min(1)
    .max(MAX_TIERS)
    .superRefine((given, context) => {
      for (const [index, { up_to }] of given.entries()) {
        const message = mistakeOfEnd(up_to, given[index - 1]?.up_to, index === given.length - 1)
        if (message) context.addIssue({ code: 'custom', path: [index, 'up_to'], message })
      }
    }),
)

/** Finds the mistake in the end of a tier; undefined for none. */
function mistakeOfEnd(
  end: number | 'inf',
  previous: number | 'inf' | undefined,
  isLast: boolean,
): string | undefined {
  if (isLast) return end === 'inf' ? undefined : "expected 'inf' in the last tier"
  if (end === 'inf') return "expected 'inf' only in the last tier"
  return typeof previous === 'number' && end <= previous
    ? `expected more than ${previous}, the end of the tier before`
    : undefined
}

const lookupKey = deferred(() => z.string().max(200).nullable().optional())
const active = deferred(() => z.boolean().optional())
export const createPriceParams = deferred(() =>
  z
    .object({
      ...amounts,
      currency,
      billing_scheme: z.enum(['per_unit', 'tiered']).optional(),
      tiers_mode: z.enum(TIERS_MODES).optional(),
      tiers: tiers().optional(),
      transform_quantity: z.object({ divide_by: z.int().min(1), round: z.enum(ROUNDINGS) }).optional(),
      product: reference.optional(),
      product_data: z.object({ name: text.min(1), metadata }).optional(),
      type: z.enum(['one_time', 'recurring']).optional(),
      recurring: meteredRecurring().optional(),
      nickname: optionalText,
      active: active(),
      lookup_key: lookupKey(),
      metadata,
    })
    .refine(({ type, recurring: given }) => type !== 'one_time' || given === undefined, {
      path: ['recurring'],
      error: 'not allowed for a one-time price',
    })
    .refine(({ product, product_data }) => product === undefined || product_data === undefined, {
      path: ['product_data'],
      error: 'use product or product_data, not both',
    })
    .refine(hasOneForm, oneForm)
    .superRefine((given, context) => {
      const isTiered = given.billing_scheme === 'tiered'
      const [scheme, others] = isTiered ? ['tiered', ONLY_PER_UNIT] : ['per_unit', ONLY_TIERED]
      for (const name of others) {
        if (given[name] !== undefined)
          context.addIssue({
            code: 'custom',
            path: [name],
            message: `not allowed with the billing_scheme ${scheme}`,
          })
      }
    }),
)

const ONLY_PER_UNIT = ['unit_amount', 'unit_amount_decimal', 'transform_quantity'] as const
const ONLY_TIERED = ['tiers_mode', 'tiers'] as const

/**
 * Requires an amount or tiers, and `recurring` for a recurring price. See docs/contract/customers.md#prices.
 */
export const requiresOfPrice: Requires = (raw) => {
  const isMissing = (name: string) => raw[name] === undefined
  if (raw.billing_scheme === 'tiered') {
    const missing = ['tiers_mode', 'tiers'].find(isMissing)
    if (missing) return missing
  } else if (isMissing('unit_amount') && isMissing('unit_amount_decimal')) return 'unit_amount'
  return raw.type === 'recurring' && isMissing('recurring') ? 'recurring' : undefined
}

export const updatePriceParams = deferred(() =>
  z.object({ nickname: optionalText, active: active(), lookup_key: lookupKey(), metadata }),
)

/** A price of a product, which is created for one subscription item. */
export const recurringPriceData = deferred(() =>
  z
    .object({ currency, product: reference, ...amounts, recurring: recurring() })
    .refine(hasOneForm, oneForm)
    .refine(hasAmount, missingAmount),
)

/** A price of a product, which is created for one invoice item. */
export const oneTimePriceData = deferred(() =>
  z
    .object({ currency, product: reference, ...amounts })
    .refine(hasOneForm, oneForm)
    .refine(hasAmount, missingAmount),
)

/** The price that is created with a product. */
export const defaultPriceData = deferred(() =>
  z
    .object({ currency, ...amounts, recurring: recurring().optional(), metadata })
    .refine(hasOneForm, oneForm)
    .refine(hasAmount, missingAmount),
)

/** A price that is created for one line of a Checkout session, of a product or together with one. */
export const checkoutPriceData = deferred(() =>
  z
    .object({
      currency,
      product: reference.optional(),
      product_data: z.object({ name: text.min(1), description: text.optional(), metadata }).optional(),
      ...amounts,
      recurring: recurring().optional(),
    })
    .refine(hasOneForm, oneForm)
    .refine(hasAmount, missingAmount)
    .refine(({ product, product_data }) => (product === undefined) !== (product_data === undefined), {
      path: ['product'],
      error: 'use product or product_data',
    }),
)
