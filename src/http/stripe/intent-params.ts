import * as z from 'zod'
import type { MethodOptions } from '../../core/intent-options.ts'
import { parseUrl } from '../../core/url.ts'
import type { ChosenMethod } from '../../engine/resources/payment-method.ts'
import { deferred } from '../deferred.ts'
import { metadata, reference } from '../fields.ts'
import { card, cardOf } from './card-param.ts'
import { billingDetails, billingDetailsOf } from './contact-params.ts'
import { type GivenOptions, threeDSecureOf } from './method-options.ts'

/** Reports whether a browser can be sent to an address. Its host also becomes part of a page's policy. */
function isHttp(text: string): boolean {
  // URL parsers accept texts that are unsafe in headers and links: they drop line breaks, and read `http:shop` as a host.
  const url = /^https?:\/\/[^\\\p{Cc}]+$/iu.test(text) ? parseUrl(text) : undefined
  if (url === undefined) return false
  const { protocol, hostname, username } = url
  const isWeb = protocol === 'http:' || protocol === 'https:'
  return isWeb && username === '' && /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/.test(hostname)
}

/** The address to which the browser returns after an authentication. */
export const returnUrl = deferred(() =>
  z.string().max(5_000).refine(isHttp, { error: 'expected an http or https URL' }),
)

/** The parameters that choose the payment method of an intent. */
export const chosenMethod = {
  payment_method: reference.optional(),
  payment_method_data: z
    .object({ type: z.literal('card'), card: card(), billing_details: billingDetails(), metadata })
    .optional(),
}

/** Parameters of a confirmation that say how the customer authenticates. */
export const authentication = deferred(() => ({ use_stripe_sdk: z.boolean().optional() }))

/** The parameters that say which payment methods an intent accepts. */
export const acceptedMethods = {
  automatic_payment_methods: z
    .object({ enabled: z.boolean(), allow_redirects: z.enum(['always', 'never']).default('always') })
    .optional(),
  allowed_payment_method_types: z
    .array(z.literal('card', { error: 'paytwin knows only card here yet' }))
    .min(1)
    .optional(),
}

type Accepted = z.output<z.ZodObject<typeof acceptedMethods>>

type Confirming = { readonly confirm: boolean; readonly return_url?: string | undefined }

/** Checks that a return_url comes with a confirmation, which uses it. */
export const returnsOnlyWhenConfirmed = ({ confirm, return_url }: Confirming): boolean =>
  confirm || return_url === undefined
export const returnsUnconfirmed = { path: ['return_url'], error: 'return_url can be given only with confirm' }

/** Returns the payment method that a request chooses. */
export function methodOf({
  payment_method,
  payment_method_data,
}: z.output<z.ZodObject<typeof chosenMethod>>): ChosenMethod {
  if (!payment_method_data) return { payment_method }
  const { card: given, billing_details, metadata } = payment_method_data
  return {
    payment_method,
    payment_method_data: {
      card: cardOf(given),
      billing_details: billingDetailsOf(billing_details),
      metadata,
    },
  }
}

type Returning = {
  readonly return_url?: string | undefined
  readonly use_stripe_sdk?: boolean | undefined
}

/** Returns the options that a request sets. */
export function methodOptions({
  automatic_payment_methods,
  allowed_payment_method_types,
  return_url,
  payment_method_options,
  use_stripe_sdk,
}: Accepted & GivenOptions & Returning): Partial<MethodOptions> {
  return {
    ...(automatic_payment_methods && {
      automatic_payment_methods: automatic_payment_methods.enabled ? automatic_payment_methods : null,
    }),
    ...(allowed_payment_method_types && { automatic_payment_methods: null, allowed_payment_method_types }),
    ...(return_url !== undefined && { return_url }),
    ...threeDSecureOf({ payment_method_options }),
    // Without an address to return to, the next action has the form for Stripe.js.
    ...(use_stripe_sdk && { return_url: null }),
  }
}
