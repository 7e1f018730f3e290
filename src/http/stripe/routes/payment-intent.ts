import type Stripe from 'stripe'
import * as z from 'zod'
import type { ApiError } from '../../../core/errors.ts'
import { paymentFailed } from '../../../core/errors.ts'
import type { PaymentOptions } from '../../../core/intent-options.ts'
import type { PaymentIntent } from '../../../core/payment-intent.ts'
import type { View } from '../../../engine/history/view.ts'
import { checkNotOfCheckout, settlePayment } from '../../../engine/resources/checkout-settlement.ts'
import {
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  type IntentOutcome,
  updatePaymentIntent,
} from '../../../engine/resources/payment-intent.ts'
import { checkClientSecret } from '../../client-secret.ts'
import { deferred } from '../../deferred.ts'
import { amount, currency, metadata, optionalText, reference } from '../../fields.ts'
import { createdParam, filtersOf, pageParams } from '../../pagination.ts'
import type { Decline } from '../../payment-intent.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import {
  acceptedMethods,
  authentication,
  chosenMethod,
  methodOf,
  methodOptions,
  returnsOnlyWhenConfirmed,
  returnsUnconfirmed,
  returnUrl,
} from '../intent-params.ts'
import { methodOptionsParam } from '../method-options.ts'
import { declineCodeOf, presentPaymentIntent } from '../present/payment.ts'
import { forBrowser } from '../public-fields.ts'
import { listKind, returning, returningList } from '../returns.ts'
import { searchRoute } from '../search/route.ts'
import type { Wire } from '../wire.ts'

const clientSecret = deferred(() => z.string().optional())
const descriptor = deferred(() => z.string().max(22).nullable().optional())
const automatic = deferred(() =>
  z.enum(['automatic', 'automatic_async'], { error: 'paytwin does not know manual capture yet' }).optional(),
)

const intent = returning<Wire<Stripe.PaymentIntent>>('payment_intent')

const details = {
  customer: reference.optional(),
  ...chosenMethod,
  setup_future_usage: z.enum(['off_session', 'on_session']).nullable().optional(),
  receipt_email: optionalText,
  statement_descriptor: descriptor(),
  statement_descriptor_suffix: descriptor(),
  description: optionalText,
  metadata,
}
const createParams = deferred(() =>
  z
    .object({
      amount,
      currency,
      ...details,
      ...acceptedMethods,
      payment_method_options: methodOptionsParam(),
      confirm: z.boolean().default(false),
      off_session: z.boolean().optional(),
      error_on_requires_action: z.boolean().optional(),
      ...authentication(),
      return_url: returnUrl().optional(),
      capture_method: automatic(),
      confirmation_method: z.literal('automatic').optional(),
    })
    .refine(returnsOnlyWhenConfirmed, returnsUnconfirmed)
    .refine(({ confirm, off_session }) => confirm || off_session === undefined, {
      path: ['off_session'],
      error: 'off_session can be given only with confirm',
    })
    .refine(({ confirm, error_on_requires_action: given }) => confirm || given === undefined, {
      path: ['error_on_requires_action'],
      error: 'error_on_requires_action can be given only with confirm',
    }),
)
const updateParams = deferred(() =>
  z.object({
    amount: amount.optional(),
    currency: currency.optional(),
    ...details,
    allowed_payment_method_types: acceptedMethods.allowed_payment_method_types,
    payment_method_options: methodOptionsParam(),
    capture_method: automatic(),
  }),
)
const confirmParams = deferred(() =>
  z.object({
    ...chosenMethod,
    allowed_payment_method_types: acceptedMethods.allowed_payment_method_types,
    payment_method_options: methodOptionsParam(),
    setup_future_usage: details.setup_future_usage,
    receipt_email: optionalText,
    off_session: z.boolean().optional(),
    error_on_requires_action: z.boolean().optional(),
    ...authentication(),
    return_url: returnUrl().optional(),
    capture_method: automatic(),
    client_secret: clientSecret(),
  }),
)
const cancelParams = deferred(() =>
  z.object({
    cancellation_reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned']).optional(),
  }),
)
const listParams = deferred(() =>
  z.object({ ...pageParams, customer: reference.optional(), created: createdParam() }),
)

export function paymentIntentRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents',
      summary: 'Creates a payment intent. With confirm, also confirms it.',
      params: createParams,
      returns: intent,
    },
    ({ unit, view, params }) => {
      const { amount, currency, customer, confirm, description, metadata } = params
      const off_session = isAbsent(params)
      const given = { amount, currency, customer, confirm, off_session, description, metadata }
      return resultOf(
        view,
        createPaymentIntent(unit, { ...given, ...methodOf(params), options: paymentOptions(params) }),
      )
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/payment_intents',
      summary: 'Lists payment intents.',
      params: listParams,
      returns: returningList<Wire<Stripe.PaymentIntent>>('payment_intent'),
    },
    (call) => {
      return listKind(call, 'payment_intent', filtersOf(call.params, 'customer'), presentPaymentIntent)
    },
  )
  searchRoute(api, { kind: 'payment_intent', path: '/v1/payment_intents', present: presentPaymentIntent })
  api.read(
    {
      method: 'get',
      path: '/v1/payment_intents/:id',
      summary:
        'Retrieves a payment intent, also from a browser with a publishable key and the client_secret.',
      params: deferred(() => z.object({ client_secret: clientSecret() })),
      returns: intent,
      isPublic: true,
    },
    ({ view, id, params, isPublic }) => {
      if (isPublic) checkClientSecret(view, { kind: 'payment_intent', id, given: params.client_secret })
      return forBrowser(isPublic, presentPaymentIntent(view, retrieve(view, 'payment_intent', id)))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents/:id',
      summary: 'Updates a payment intent.',
      params: updateParams,
      returns: intent,
    },
    ({ unit, view, params, id }) => {
      const { amount, currency, customer, description, metadata } = params
      const given = { amount, currency, customer, description, metadata, ...methodOf(params) }
      const options = paymentOptions(params)
      const { description: _, metadata: __, ...payment } = { ...given, ...options }
      if (Object.values(payment).some((value) => value !== undefined))
        checkNotOfCheckout(unit, 'payment_intent', id, 'changed')
      return presentPaymentIntent(
        view,
        updatePaymentIntent(unit, id, { ...given, options, namesStatus: false }),
      )
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents/:id/confirm',
      summary:
        'Confirms a payment intent, also from a browser with a publishable key and the client_secret. The intent of an invoice pays the invoice.',
      params: confirmParams,
      returns: intent,
      isPublic: true,
    },
    ({ unit, view, params, id, isPublic }) => {
      if (isPublic) checkClientSecret(view, { kind: 'payment_intent', id, given: params.client_secret })
      checkNotOfCheckout(unit, 'payment_intent', id, 'confirmed')
      const given = { off_session: isAbsent(params), ...methodOf(params), options: paymentOptions(params) }
      return resultOf(view, confirmPaymentIntent(unit, id, given), isPublic)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents/:id/cancel',
      summary: 'Cancels a payment intent.',
      params: cancelParams,
      returns: intent,
    },
    ({ unit, view, params, id }) => {
      checkNotOfCheckout(unit, 'payment_intent', id, 'canceled')
      return presentPaymentIntent(view, cancelPaymentIntent(unit, id, params.cancellation_reason ?? null))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/payment_intents/:id/settle',
      summary: "Completes the pending action of the customer. This route is paytwin's own.",
      params: deferred(() => z.object({ outcome: z.enum(['succeed', 'fail']) })),
      returns: intent,
    },
    ({ unit, view, params, id }) => presentPaymentIntent(view, settlePayment(unit, id, params.outcome)),
  )
}

type Presence = { off_session?: boolean | undefined; error_on_requires_action?: boolean | undefined }

/**
 * Reports whether a card that requires an authentication is declined: the customer is absent, or the request excludes an
 * authentication.
 */
const isAbsent = ({ off_session, error_on_requires_action }: Presence): boolean | undefined =>
  error_on_requires_action ? true : off_session

type Optional = z.output<ReturnType<typeof updateParams>> & {
  readonly return_url?: string | undefined
  readonly use_stripe_sdk?: boolean | undefined
}

/** Returns the options that a request sets. */
function paymentOptions(params: Partial<Optional>): Partial<PaymentOptions> {
  const { setup_future_usage, receipt_email, statement_descriptor, statement_descriptor_suffix } = params
  return {
    ...methodOptions(params),
    ...(setup_future_usage !== undefined && { setup_future_usage }),
    ...(receipt_email !== undefined && { receipt_email }),
    ...(statement_descriptor !== undefined && { statement_descriptor }),
    ...(statement_descriptor_suffix !== undefined && { statement_descriptor_suffix }),
  }
}

const resultOf = (view: View, { intent: found, declined }: IntentOutcome, isPublic = false) =>
  declined
    ? declinedPayment(view, found, declined, isPublic)
    : forBrowser(isPublic, presentPaymentIntent(view, found))

/** Creates the error for a declined payment. The command is committed nevertheless, with the failed payment. */
export function declinedPayment(
  view: View,
  found: PaymentIntent | undefined,
  decline: Decline,
  isPublic = false,
): ApiError {
  const { decline_code, message } = decline
  const shown = found && presentPaymentIntent(view, found)
  const { charge, payment_method } = shown?.last_payment_error ?? {}
  const payment_intent = shown && forBrowser(isPublic, shown)
  return paymentFailed(declineCodeOf(decline), message, {
    charge,
    decline_code,
    payment_intent,
    payment_method,
  })
}
