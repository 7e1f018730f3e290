import * as z from 'zod'
import {
  CHECKOUT_MODES,
  type CheckoutOutcomes,
  type CheckoutSettings,
  MAX_CHECKOUT_LINES,
} from '../../../core/checkout-session.ts'
import { mergeMetadata } from '../../../core/metadata.ts'
import { PUSH_TYPES } from '../../../core/payment-method.ts'
import { MISSING_PAYMENT_METHOD } from '../../../core/subscription.ts'
import type { CheckoutLineParams } from '../../../engine/resources/checkout-lines.ts'
import { deferred } from '../../deferred.ts'
import { currency, instant, metadata, quantity, reference, text } from '../../fields.ts'
import { checkoutPriceData } from '../../price-params.ts'
import { automaticTaxParam, taxOf } from '../automatic-tax.ts'
import { returnUrl } from '../intent-params.ts'
import { methodOptionsParam, threeDSecureOf } from '../method-options.ts'
import { disabled, ownInvoices } from '../only.ts'
import { checkoutProduct, withProductDetails } from '../product-params.ts'
import { NO_ANCHOR_WITH_TRIAL, ONE_END_OF_TRIAL } from '../trial-params.ts'

const description = deferred(() => text.optional())

const lineItem = deferred(() =>
  z
    .object({
      price: reference.optional(),
      price_data: checkoutPriceData().safeExtend({ product_data: checkoutProduct().optional() }).optional(),
      quantity: quantity.optional(),
      adjustable_quantity: z
        .object({
          enabled: z.boolean(),
          minimum: z.int().min(0).max(999_999).optional(),
          maximum: z.int().min(1).max(999_999).optional(),
        })
        .optional(),
      metadata,
    })
    .refine(({ price, price_data }) => (price === undefined) !== (price_data === undefined), {
      path: ['price'],
      error: 'use price or price_data',
    }),
)

/** Stripe takes one discount for a session. */
const discounts = deferred(() =>
  z
    .array(
      z
        .object({ coupon: reference.optional(), promotion_code: reference.optional() })
        .refine(({ coupon, promotion_code }) => (coupon === undefined) !== (promotion_code === undefined), {
          path: ['coupon'],
          error: 'use coupon or promotion_code',
        }),
    )
    .max(1)
    .optional(),
)

const subscriptionData = deferred(() =>
  z
    .object({
      billing_cycle_anchor: instant.optional(),
      invoice_settings: ownInvoices(),
      description: description(),
      metadata,
      proration_behavior: z.enum(['create_prorations', 'none']).optional(),
      trial_end: instant.optional(),
      trial_period_days: z.int().min(1).max(730).optional(),
      trial_settings: z
        .object({
          end_behavior: z.object({
            missing_payment_method: z.enum(MISSING_PAYMENT_METHOD).default('create_invoice'),
          }),
        })
        .optional(),
    })
    .refine(...ONE_END_OF_TRIAL)
    .refine(...NO_ANCHOR_WITH_TRIAL),
)

const paymentIntentData = deferred(() =>
  z.object({
    capture_method: z
      .enum(['automatic', 'automatic_async'], { error: 'paytwin does not know manual capture yet' })
      .optional(),
    description: description(),
    metadata,
    receipt_email: text.optional(),
    setup_future_usage: z.enum(['off_session', 'on_session']).optional(),
    statement_descriptor: z.string().max(22).optional(),
    statement_descriptor_suffix: z.string().max(22).optional(),
  }),
)

const message = deferred(() =>
  z
    .object({ message: z.string().min(1).max(1_200) })
    .nullable()
    .optional(),
)

const autoOrNever = deferred(() => z.enum(['auto', 'never']).optional())

const fields = deferred(() =>
  z.object({
    mode: z.enum(CHECKOUT_MODES).default('payment'),
    success_url: returnUrl(),
    cancel_url: returnUrl().optional(),
    line_items: z.array(lineItem()).min(1).max(MAX_CHECKOUT_LINES).optional(),
    customer: reference.optional(),
    customer_email: z.email().max(512).optional(),
    customer_creation: z.enum(['always', 'if_required']).optional(),
    customer_update: z.object({ address: autoOrNever(), name: autoOrNever() }).optional(),
    client_reference_id: z.string().min(1).max(200).optional(),
    currency: currency.optional(),
    discounts: discounts(),
    allow_promotion_codes: z.boolean().optional(),
    subscription_data: subscriptionData().optional(),
    payment_intent_data: paymentIntentData().optional(),
    setup_intent_data: z.object({ description: description(), metadata }).optional(),
    invoice_creation: z
      .object({
        enabled: z.boolean(),
        invoice_data: z.object({ description: description(), metadata }).optional(),
      })
      .optional(),
    payment_method_collection: z.enum(['always', 'if_required']).optional(),
    allowed_payment_method_types: z
      .array(
        z.enum(['card', ...PUSH_TYPES], {
          error: `paytwin knows only card, ${PUSH_TYPES.join(', ')} here yet`,
        }),
      )
      .min(1)
      .optional(),
    billing_address_collection: z.enum(['auto', 'required']).optional(),
    phone_number_collection: z.object({ enabled: z.boolean() }).optional(),
    consent_collection: z
      .object({
        terms_of_service: z.enum(['none', 'required']).optional(),
        promotions: z.literal('none', { error: 'paytwin does not know it here yet' }).optional(),
      })
      .optional(),
    custom_text: z.object({ submit: message(), terms_of_service_acceptance: message() }).optional(),
    after_expiration: z
      .object({
        recovery: z
          .object({ enabled: z.boolean(), allow_promotion_codes: z.boolean().default(false) })
          .optional(),
      })
      .optional(),
    expires_at: instant.optional(),
    locale: z.string().min(2).max(10).optional(),
    submit_type: z.enum(['auto', 'book', 'donate', 'pay', 'subscribe']).optional(),
    ui_mode: z
      .literal('hosted_page', {
        error: 'paytwin knows only hosted_page here yet: send the browser to the url of the session',
      })
      .optional(),
    payment_method_options: methodOptionsParam(),
    automatic_tax: automaticTaxParam(),
    tax_id_collection: disabled('tax ids'),
    adaptive_pricing: disabled('prices in other currencies'),
    metadata,
  }),
)
type Given = z.output<ReturnType<typeof fields>>

/** The modes in which a parameter is allowed. */
const ONLY_IN: { readonly [Name in keyof Given]?: readonly Given['mode'][] } = {
  subscription_data: ['subscription'],
  payment_method_collection: ['subscription'],
  payment_intent_data: ['payment'],
  invoice_creation: ['payment'],
  submit_type: ['payment', 'subscription'],
  setup_intent_data: ['setup'],
  customer_creation: ['payment', 'setup'],
  discounts: ['payment', 'subscription'],
  allow_promotion_codes: ['payment', 'subscription'],
}

/** The parameters of a new session, checked for the combinations that Stripe refuses. */
export const createParams = deferred(() =>
  fields().superRefine((given, context) => {
    const refuse = (name: string, why: string) =>
      context.addIssue({ code: 'custom', path: [name], message: why })
    for (const [name, modes] of Object.entries(ONLY_IN))
      if (given[name as keyof Given] !== undefined && !modes.includes(given.mode))
        refuse(name, `not allowed in ${given.mode} mode`)
    if (given.customer !== undefined && given.customer_email !== undefined)
      refuse('customer_email', 'use customer or customer_email, not both')
    if (given.customer !== undefined && given.customer_creation !== undefined)
      refuse('customer_creation', 'only allowed without customer')
    if (given.customer === undefined && given.customer_update !== undefined)
      refuse('customer_update', 'only allowed with customer')
    if (given.discounts !== undefined && given.allow_promotion_codes !== undefined)
      refuse('allow_promotion_codes', 'use discounts or allow_promotion_codes, not both')
    if (given.automatic_tax?.enabled && given.mode === 'setup')
      refuse('automatic_tax', 'not allowed in setup mode')
    if (given.automatic_tax?.enabled && given.invoice_creation?.enabled)
      refuse('automatic_tax', 'paytwin does not know automatic_tax with invoice_creation yet')
    const pushed = given.allowed_payment_method_types?.find((type) => type !== 'card')
    if (given.mode !== 'payment' && pushed !== undefined)
      refuse(
        'allowed_payment_method_types',
        `${pushed} cannot be saved, so it is allowed in payment mode only`,
      )
    if (
      given.allowed_payment_method_types?.length === 1 &&
      pushed &&
      given.payment_intent_data?.setup_future_usage
    )
      refuse('payment_intent_data', `setup_future_usage is not possible with ${pushed}`)
  }),
)
type CreateParams = z.output<ReturnType<typeof createParams>>

/** Returns the lines of a request. */
export const linesOf = ({ line_items = [] }: CreateParams): CheckoutLineParams[] =>
  line_items.map(({ adjustable_quantity: adjustable, price_data, ...line }) => ({
    ...line,
    price_data: price_data && {
      ...price_data,
      product_data: price_data.product_data && withProductDetails(price_data.product_data),
    },
    ...(adjustable?.enabled && {
      adjustable: {
        ...(adjustable.minimum !== undefined && { minimum: adjustable.minimum }),
        ...(adjustable.maximum !== undefined && { maximum: adjustable.maximum }),
      },
    }),
  }))

/** Returns the settings of the page. */
export function settingsOf(given: CreateParams): CheckoutSettings {
  const { mode, customer, customer_update, custom_text, after_expiration } = given
  const recovery = after_expiration?.recovery
  const createsCustomer = customer === undefined && mode !== 'subscription'
  return {
    success_url: given.success_url,
    cancel_url: given.cancel_url ?? null,
    locale: given.locale ?? null,
    submit_type: given.submit_type ?? null,
    allow_promotion_codes: given.allow_promotion_codes ?? null,
    billing_address_collection: given.billing_address_collection ?? null,
    phone_number_collection: given.phone_number_collection?.enabled ?? false,
    has_given_customer: customer !== undefined,
    customer_creation: createsCustomer ? (given.customer_creation ?? 'if_required') : null,
    customer_update: {
      address: customer_update?.address === 'auto',
      name: customer_update?.name === 'auto',
    },
    terms_of_service: given.consent_collection?.terms_of_service ?? null,
    custom_text: {
      submit: custom_text?.submit?.message ?? null,
      terms_of_service_acceptance: custom_text?.terms_of_service_acceptance?.message ?? null,
    },
    payment_method_collection: mode === 'subscription' ? (given.payment_method_collection ?? 'always') : null,
    payment_method_types: [...new Set(given.allowed_payment_method_types ?? (['card'] as const))],
    ...threeDSecureOf(given),
    ...taxOf(given.automatic_tax),
    recovery: recovery?.enabled ? { allow_promotion_codes: recovery.allow_promotion_codes } : null,
  }
}

/** Returns the settings of the objects that the session will create. */
export function outcomesOf(given: CreateParams): CheckoutOutcomes {
  const { subscription_data, payment_intent_data, setup_intent_data, invoice_creation } = given
  return {
    subscription: {
      billing_cycle_anchor: subscription_data?.billing_cycle_anchor ?? null,
      description: subscription_data?.description ?? null,
      metadata: mergeMetadata({}, subscription_data?.metadata),
      proration_behavior: subscription_data?.proration_behavior ?? null,
      trial_end: subscription_data?.trial_end ?? null,
      trial_period_days: subscription_data?.trial_period_days ?? null,
      missing_payment_method:
        subscription_data?.trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
    },
    payment_intent: {
      description: payment_intent_data?.description ?? null,
      metadata: mergeMetadata({}, payment_intent_data?.metadata),
      receipt_email: payment_intent_data?.receipt_email ?? null,
      setup_future_usage: payment_intent_data?.setup_future_usage ?? null,
      statement_descriptor: payment_intent_data?.statement_descriptor ?? null,
      statement_descriptor_suffix: payment_intent_data?.statement_descriptor_suffix ?? null,
    },
    setup_intent: {
      description: setup_intent_data?.description ?? null,
      metadata: mergeMetadata({}, setup_intent_data?.metadata),
    },
    invoice: invoice_creation?.enabled
      ? {
          description: invoice_creation.invoice_data?.description ?? null,
          metadata: mergeMetadata({}, invoice_creation.invoice_data?.metadata),
        }
      : null,
  }
}
