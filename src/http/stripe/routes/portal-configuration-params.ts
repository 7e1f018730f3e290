import * as z from 'zod'
import { FEEDBACK } from '../../../core/cancellation-feedback.ts'
import {
  CANCEL_MODES,
  CUSTOMER_UPDATES,
  MAX_PRICES,
  MAX_PRODUCTS,
  PLAN_UPDATES,
  SCHEDULE_CONDITIONS,
  TRIAL_UPDATE_BEHAVIORS,
} from '../../../core/portal-configuration.ts'
import { PRORATION_BEHAVIORS } from '../../../core/proration.ts'
import type { ConfigurationParams } from '../../../engine/resources/portal-configuration.ts'
import { deferred } from '../../deferred.ts'
import { metadata, optionalText, reference } from '../../fields.ts'
import { pageParams } from '../../pagination.ts'
import { returnUrl } from '../intent-params.ts'
import { only } from '../only.ts'

const enabled = deferred(() => z.boolean())
const optionalUrl = deferred(() => returnUrl().nullable().optional())

/** A list of choices without duplicates; an empty value for none. */
const choices = <const Choice extends string>(known: readonly Choice[]) =>
  z
    .array(z.enum(known))
    .max(50)
    .nullable()
    .transform((given) => [...new Set(given ?? [])])
    .optional()

const product = deferred(() =>
  z.object({
    product: reference,
    prices: z.array(reference).min(1).max(MAX_PRICES),
    adjustable_quantity: z
      .object({
        enabled: enabled(),
        minimum: z.int().min(0).optional(),
        maximum: z.int().min(1).optional(),
      })
      .refine(({ minimum = 1, maximum = minimum }) => minimum <= maximum, {
        path: ['maximum'],
        error: 'expected at least the minimum',
      })
      .optional(),
  }),
)

const features = deferred(() =>
  z.object({
    customer_update: z
      .object({ enabled: enabled().optional(), allowed_updates: choices(CUSTOMER_UPDATES) })
      .optional(),
    invoice_history: z.object({ enabled: enabled() }).optional(),
    payment_method_update: z.object({ enabled: enabled() }).optional(),
    subscription_cancel: z
      .object({
        enabled: enabled().optional(),
        mode: z.enum(CANCEL_MODES).optional(),
        proration_behavior: z.enum(PRORATION_BEHAVIORS).optional(),
        cancellation_reason: z.object({ enabled: enabled(), options: choices(FEEDBACK) }).optional(),
      })
      .optional(),
    subscription_pause: z.object({ enabled: only(false) }).optional(),
    subscription_update: z
      .object({
        enabled: enabled().optional(),
        default_allowed_updates: choices(PLAN_UPDATES),
        products: z.array(product()).max(MAX_PRODUCTS).nullable().optional(),
        proration_behavior: z.enum(PRORATION_BEHAVIORS).optional(),
        billing_cycle_anchor: z.enum(['now', 'unchanged']).optional(),
        trial_update_behavior: z.enum(TRIAL_UPDATE_BEHAVIORS).optional(),
        schedule_at_period_end: z
          .object({
            conditions: z
              .array(z.object({ type: z.enum(SCHEDULE_CONDITIONS) }))
              .max(SCHEDULE_CONDITIONS.length)
              .nullable()
              .transform((given) => (given ?? []).map(({ type }) => type))
              .optional(),
          })
          .optional(),
      })
      .optional(),
  }),
)

const fields = {
  business_profile: z
    .object({
      headline: z.string().max(60).nullable().optional(),
      privacy_policy_url: optionalUrl(),
      terms_of_service_url: optionalUrl(),
    })
    .optional(),
  default_return_url: optionalUrl(),
  login_page: z.object({ enabled: only(false) }).optional(),
  name: optionalText,
  metadata,
}

export const createParams = deferred(() => z.object({ features: features(), ...fields }))
export const updateParams = deferred(() =>
  z.object({
    active: z.boolean().optional(),
    features: features().optional(),
    ...fields,
  }),
)
export const listParams = deferred(() =>
  z.object({
    ...pageParams,
    active: z.boolean().optional(),
    is_default: z.boolean().optional(),
  }),
)

/** Converts the parameters of a configuration to those of the engine. */
export function configurationOf({
  features: given,
  login_page: _,
  ...params
}: Omit<z.output<ReturnType<typeof updateParams>>, 'active'>): ConfigurationParams {
  if (!given) return params
  const { subscription_pause: __, subscription_update, ...others } = given
  if (!subscription_update) return { ...params, features: others }
  const { products, schedule_at_period_end, ...update } = subscription_update
  const conditions = schedule_at_period_end?.conditions
  return {
    ...params,
    features: {
      ...others,
      subscription_update: {
        ...update,
        products: products === null ? [] : products,
        schedule_at_period_end: conditions && { conditions },
      },
    },
  }
}
