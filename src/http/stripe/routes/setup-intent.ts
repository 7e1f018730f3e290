import type Stripe from 'stripe'
import * as z from 'zod'
import type { SetupResult } from '../../../core/billing/setup.ts'
import { type ApiError, paymentFailed } from '../../../core/errors.ts'
import type { View } from '../../../engine/history/view.ts'
import { checkNotOfCheckout, settleSetup } from '../../../engine/resources/checkout-settlement.ts'
import {
  cancelSetupIntent,
  confirmSetupIntent,
  createSetupIntent,
  updateSetupIntent,
} from '../../../engine/resources/setup-intent.ts'
import { checkClientSecret } from '../../client-secret.ts'
import { deferred } from '../../deferred.ts'
import { metadata, optionalText, reference } from '../../fields.ts'
import { createdParam, filtersOf, pageParams } from '../../pagination.ts'
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
import { presentSetupIntent, SETUP_CANCELLATION_REASONS } from '../present/setup-intent.ts'
import { forBrowser } from '../public-fields.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const intent = returning<Wire<Stripe.SetupIntent>>('setup_intent')

const createParams = deferred(() =>
  z
    .object({
      customer: reference.optional(),
      ...chosenMethod,
      ...acceptedMethods,
      payment_method_options: methodOptionsParam(),
      usage: z.enum(['off_session', 'on_session']).optional(),
      confirm: z.boolean().default(false),
      return_url: returnUrl().optional(),
      ...authentication(),
      description: optionalText,
      metadata,
    })
    .refine(returnsOnlyWhenConfirmed, returnsUnconfirmed),
)
const updateParams = deferred(() =>
  z.object({
    customer: reference.optional(),
    ...chosenMethod,
    allowed_payment_method_types: acceptedMethods.allowed_payment_method_types,
    payment_method_options: methodOptionsParam(),
    description: optionalText,
    metadata,
  }),
)
const clientSecret = deferred(() => z.string().optional())
const confirmParams = deferred(() =>
  z.object({
    ...chosenMethod,
    allowed_payment_method_types: acceptedMethods.allowed_payment_method_types,
    payment_method_options: methodOptionsParam(),
    return_url: returnUrl().optional(),
    ...authentication(),
    client_secret: clientSecret(),
  }),
)
const listParams = deferred(() =>
  z.object({
    ...pageParams,
    customer: reference.optional(),
    payment_method: reference.optional(),
    created: createdParam(),
  }),
)

export function setupIntentRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/setup_intents',
      summary: 'Creates a setup intent, which saves a payment method. With confirm, also confirms it.',
      params: createParams,
      returns: intent,
    },
    ({ unit, view, params }) => {
      const { customer, usage, confirm, description, metadata } = params
      const given = { customer, usage, confirm, description, metadata, ...methodOf(params) }
      return resultOf(view, createSetupIntent(unit, { ...given, options: methodOptions(params) }))
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/setup_intents',
      summary: 'Lists setup intents.',
      params: listParams,
      returns: returningList<Wire<Stripe.SetupIntent>>('setup_intent'),
    },
    (call) => {
      const filters = filtersOf(call.params, 'customer', 'payment_method')
      return listKind(call, 'setup_intent', filters, presentSetupIntent)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/setup_intents/:id',
      summary: 'Retrieves a setup intent, also from a browser with a publishable key and the client_secret.',
      params: deferred(() => z.object({ client_secret: clientSecret() })),
      returns: intent,
      isPublic: true,
    },
    ({ view, id, params, isPublic }) => {
      if (isPublic) checkClientSecret(view, { kind: 'setup_intent', id, given: params.client_secret })
      return forBrowser(isPublic, presentSetupIntent(view, retrieve(view, 'setup_intent', id)))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/setup_intents/:id',
      summary: 'Updates a setup intent.',
      params: updateParams,
      returns: intent,
    },
    ({ unit, view, id, params }) => {
      const { customer, description, metadata } = params
      const setup = { customer, ...methodOf(params) }
      const options = methodOptions(params)
      if (Object.values({ ...setup, ...options }).some((value) => value !== undefined))
        checkNotOfCheckout(unit, 'setup_intent', id, 'changed')
      const given = { ...setup, description, metadata }
      return presentSetupIntent(
        view,
        updateSetupIntent(unit, id, { ...given, options: methodOptions(params) }),
      )
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/setup_intents/:id/confirm',
      summary: 'Confirms a setup intent, also from a browser with a publishable key and the client_secret.',
      params: confirmParams,
      returns: intent,
      isPublic: true,
    },
    ({ unit, view, id, params, isPublic }) => {
      if (isPublic) checkClientSecret(view, { kind: 'setup_intent', id, given: params.client_secret })
      checkNotOfCheckout(unit, 'setup_intent', id, 'confirmed')
      const result = confirmSetupIntent(unit, id, { ...methodOf(params), options: methodOptions(params) })
      return resultOf(view, result, isPublic)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/setup_intents/:id/cancel',
      summary: 'Cancels a setup intent.',
      params: deferred(() =>
        z.object({ cancellation_reason: z.enum(SETUP_CANCELLATION_REASONS).optional() }),
      ),
      returns: intent,
    },
    ({ unit, view, id, params }) => {
      checkNotOfCheckout(unit, 'setup_intent', id, 'canceled')
      return presentSetupIntent(view, cancelSetupIntent(unit, id, params.cancellation_reason ?? null))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/setup_intents/:id/settle',
      summary: "Completes the authentication of a setup intent. This route is paytwin's own.",
      params: deferred(() => z.object({ outcome: z.enum(['succeed', 'fail']) })),
      returns: intent,
    },
    ({ unit, view, id, params }) => presentSetupIntent(view, settleSetup(unit, id, params.outcome)),
  )
}

function resultOf(
  view: View,
  { intent: found, declined }: SetupResult,
  isPublic = false,
): Wire<Stripe.SetupIntent> | ApiError {
  const setup_intent = forBrowser(isPublic, presentSetupIntent(view, found))
  if (!declined) return setup_intent
  const { code, decline_code, message } = declined
  const { payment_method } = setup_intent.last_setup_error ?? {}
  return paymentFailed(code, message, { decline_code, payment_method, setup_intent })
}
