import * as z from 'zod'
import { FEEDBACK } from '../../../core/cancellation-feedback.ts'
import { COLLECTION_METHODS } from '../../../core/collection-method.ts'
import { parameterInvalid } from '../../../core/errors.ts'
import type { PaymentSettings } from '../../../core/payment-settings.ts'
import { PRORATION_BEHAVIORS } from '../../../core/proration.ts'
import type { Subscription } from '../../../core/subscription.ts'
import { MAX_ITEMS, MISSING_PAYMENT_METHOD, PAUSE_BEHAVIORS } from '../../../core/subscription.ts'
import { SUBSCRIPTION_STATUSES } from '../../../core/subscription-status.ts'
import { deferred } from '../../deferred.ts'
import { discountsParam } from '../../discount-params.ts'
import {
  currency,
  daysUntilDue,
  dueDateNotAllowed,
  instant,
  isDueOnlyWhenSent,
  metadata,
  optionalText,
  quantity,
  reference,
} from '../../fields.ts'
import { createdParam, pageParams } from '../../pagination.ts'
import { oneTimePriceData, recurringPriceData } from '../../price-params.ts'
import { trialEnd, updateItem } from '../../subscription-params.ts'
import { automaticTaxParam } from '../automatic-tax.ts'
import { methodOptionsParam, threeDSecureOf } from '../method-options.ts'
import { only, ownInvoices } from '../only.ts'
import { NO_ANCHOR_WITH_TRIAL, ONE_END_OF_TRIAL, trialDays } from '../trial-params.ts'

const newItem = deferred(() =>
  z.object({
    price: reference.optional(),
    price_data: recurringPriceData().optional(),
    quantity: quantity.optional(),
    discounts: discountsParam(),
    metadata,
  }),
)

const trialSettings = deferred(() =>
  z
    .object({
      end_behavior: z.object({
        missing_payment_method: z.enum(MISSING_PAYMENT_METHOD).default('create_invoice'),
      }),
    })
    .optional(),
)

const addedItems = deferred(() =>
  z
    .array(
      z
        .object({
          price: reference.optional(),
          price_data: oneTimePriceData().optional(),
          quantity: quantity.default(1),
          metadata,
        })
        .refine(({ price, price_data }) => (price === undefined) !== (price_data === undefined), {
          path: ['price'],
          error: 'use price or price_data',
        }),
    )
    .max(MAX_ITEMS)
    .optional(),
)

const paymentSettings = deferred(() =>
  z
    .object({
      save_default_payment_method: z.enum(['off', 'on_subscription']).optional(),
      payment_method_types: z
        .array(z.literal('card', { error: 'paytwin knows only card here yet' }))
        .min(1)
        .optional(),
      payment_method_options: methodOptionsParam(),
    })
    .optional(),
)

/** The parameters with one allowed value, which describes every subscription of paytwin. */
const fixed = deferred(() => ({
  billing_mode: z
    .object({ type: z.literal('flexible', { error: 'paytwin knows only flexible here yet' }) })
    .optional(),
  invoice_settings: ownInvoices(),
}))

const cancellationDetails = deferred(() =>
  z.object({ comment: optionalText, feedback: z.enum(FEEDBACK).nullable().optional() }).optional(),
)

export const createParams = deferred(() =>
  z
    .object({
      customer: reference,
      items: z.array(newItem()).min(1).max(MAX_ITEMS),
      currency: currency.optional(),
      default_payment_method: reference.optional(),
      payment_behavior: z
        .enum(['allow_incomplete', 'default_incomplete', 'error_if_incomplete'])
        .default('allow_incomplete'),
      payment_settings: paymentSettings(),
      collection_method: z.enum(COLLECTION_METHODS).default('charge_automatically'),
      days_until_due: daysUntilDue.optional(),
      billing_cycle_anchor: instant.optional(),
      backdate_start_date: instant.optional(),
      proration_behavior: z.enum(PRORATION_BEHAVIORS).optional(),
      trial_period_days: trialDays(),
      trial_from_plan: z.boolean().optional(),
      trial_end: trialEnd().optional(),
      trial_settings: trialSettings(),
      off_session: z.boolean().optional(),
      cancel_at: instant.optional(),
      cancel_at_period_end: z.boolean().optional(),
      add_invoice_items: addedItems(),
      discounts: discountsParam(),
      description: optionalText,
      automatic_tax: automaticTaxParam(),
      ...fixed(),
      metadata,
    })
    .refine(
      ({ add_invoice_items, trial_period_days, trial_end }) =>
        add_invoice_items === undefined || (trial_period_days === undefined && trial_end === undefined),
      { path: ['add_invoice_items'], error: 'paytwin does not know add_invoice_items with a trial yet' },
    )
    .refine(
      ({ backdate_start_date, trial_period_days, trial_end }) =>
        backdate_start_date === undefined ||
        (trial_period_days === undefined && typeof trial_end !== 'number'),
      { path: ['backdate_start_date'], error: 'paytwin does not know backdate_start_date with a trial yet' },
    )
    .refine(isDueOnlyWhenSent, dueDateNotAllowed)
    .refine(...ONE_END_OF_TRIAL)
    .refine(...NO_ANCHOR_WITH_TRIAL),
)

/** The names of a period's end for cancel_at. All items have the same period, so both mean the same. */
const PERIOD_ENDS = ['min_period_end', 'max_period_end'] as const

/** The values of payment_behavior: what happens if the payment of an update fails or is left to the customer. */
const UPDATE_BEHAVIORS = [
  'allow_incomplete',
  'default_incomplete',
  'error_if_incomplete',
  'pending_if_incomplete',
] as const

/** How Stripe bills a change within a period by default. */
export const DEFAULT_PRORATION = 'create_prorations'

const updateFields = deferred(() =>
  z.object({
    default_payment_method: reference.nullable().optional(),
    cancel_at_period_end: z.boolean().optional(),
    cancel_at: z
      .union([instant, z.enum(PERIOD_ENDS)], {
        error: 'expected whole Unix seconds, min_period_end or max_period_end',
      })
      .nullable()
      .optional(),
    collection_method: z.enum(COLLECTION_METHODS).optional(),
    days_until_due: daysUntilDue.optional(),
    items: z.array(updateItem()).min(1).optional(),
    price: reference.optional(),
    quantity: quantity.optional(),
    proration_behavior: z.enum(PRORATION_BEHAVIORS).default(DEFAULT_PRORATION),
    proration_date: instant.optional(),
    billing_cycle_anchor: z.enum(['now', 'unchanged']).optional(),
    payment_behavior: z.enum(UPDATE_BEHAVIORS).optional(),
    trial_end: trialEnd().optional(),
    add_invoice_items: addedItems(),
    payment_settings: paymentSettings(),
    trial_settings: trialSettings(),
    off_session: z.boolean().optional(),
    cancellation_details: cancellationDetails(),
    pause_collection: z
      .object({ behavior: z.enum(PAUSE_BEHAVIORS), resumes_at: instant.nullable().default(null) })
      .nullable()
      .optional(),
    discounts: discountsParam(),
    description: optionalText,
    automatic_tax: automaticTaxParam(),
    invoice_settings: fixed().invoice_settings,
    trial_from_plan: only(false),
    metadata,
  }),
)

/** The parameters that an update with pending_if_incomplete cannot have. */
const UNCONDITIONAL = [
  'add_invoice_items',
  'cancellation_details',
  'payment_settings',
  'trial_settings',
] as const

const conditionalFields = deferred(() =>
  updateFields().superRefine((given, context) => {
    const name = UNCONDITIONAL.find((each) => given[each] !== undefined)
    if (given.payment_behavior !== 'pending_if_incomplete' || name === undefined) return
    const message = `${name} cannot be changed with payment_behavior pending_if_incomplete`
    context.addIssue({ code: 'custom', path: [name], message })
  }),
)

/** The parameters of an update. cancel_at cannot name the end of a period that the same update changes. */
export const updateParams = deferred(() =>
  conditionalFields().refine(
    ({ cancel_at, items, billing_cycle_anchor, trial_end }) =>
      typeof cancel_at !== 'string' ||
      (items === undefined && billing_cycle_anchor !== 'now' && trial_end === undefined),
    {
      path: ['cancel_at'],
      error:
        'paytwin does not know the end of a period together with items, billing_cycle_anchor or trial_end yet',
    },
  ),
)
type UpdateParams = z.infer<ReturnType<typeof updateParams>>

/** Reports whether a payment method becomes the default if a request pays an invoice with it; undefined if that is not given. */
export function savesMethod(settings: z.infer<ReturnType<typeof paymentSettings>>): boolean | undefined {
  const saving = settings?.save_default_payment_method
  return saving && saving === 'on_subscription'
}

/** Returns the payment settings that a request changes. */
export function paymentSettingsOf(
  settings: z.infer<ReturnType<typeof paymentSettings>>,
): Partial<PaymentSettings> {
  const { payment_method_types } = settings ?? {}
  return {
    ...(payment_method_types && { payment_method_types }),
    ...threeDSecureOf(settings),
  }
}

/**
 * Returns the items of an update, which an older form gives as the `plan` or `quantity` of the only item.
 * @throws ApiError parameter_invalid, param plan or quantity, for a subscription with several items, or together with items
 */
export function itemsOf(
  { items }: Pick<Subscription, 'items'>,
  { items: given, price, quantity: units }: Pick<UpdateParams, 'items' | 'price' | 'quantity'>,
): UpdateParams['items'] {
  if (price === undefined && units === undefined) return given
  const param = price === undefined ? 'quantity' : 'plan'
  if (given) throw parameterInvalid(param, `Use items or ${param}, not both`)
  const [item, ...others] = items
  if (!item || others.length > 0)
    throw parameterInvalid(param, `${param} needs a subscription with one item; use items to name the items`)
  return [{ id: item.id, price, quantity: units }]
}

/** Returns the cancellation that an update requests. An empty cancel_at withdraws every planned cancellation. */
export function cancellationIn(
  { cancel_at, cancel_at_period_end }: Pick<UpdateParams, 'cancel_at' | 'cancel_at_period_end'>,
  { current_period_end }: Pick<Subscription, 'current_period_end'>,
): { readonly cancel_at: number | null | undefined; readonly cancel_at_period_end: boolean | undefined } {
  if (typeof cancel_at === 'string') return { cancel_at: current_period_end, cancel_at_period_end }
  return cancel_at === null
    ? { cancel_at, cancel_at_period_end: cancel_at_period_end ?? false }
    : { cancel_at, cancel_at_period_end }
}

export const cancelParams = deferred(() =>
  z.object({
    prorate: z.boolean().default(false),
    invoice_now: z.boolean().default(false),
    cancellation_details: cancellationDetails(),
  }),
)

export const listParams = deferred(() =>
  z.object({
    ...pageParams,
    customer: reference.optional(),
    price: reference.optional(),
    status: z.enum([...SUBSCRIPTION_STATUSES, 'all', 'ended']).optional(),
    collection_method: z.enum(COLLECTION_METHODS).optional(),
    created: createdParam(),
    current_period_start: createdParam(),
    current_period_end: createdParam(),
    test_clock: reference.optional(),
  }),
)
