import * as z from 'zod'
import { type ApiError, paymentFailed } from '../core/errors.ts'
import { intentFactsOf, type PaymentIntent } from '../core/payment-intent.ts'
import { DECLINE_CODES } from '../core/processor.ts'
import type { View } from '../engine/history/view.ts'
import {
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  type IntentOutcome,
  settlePaymentIntent,
  updatePaymentIntent,
} from '../engine/resources/payment-intent.ts'
import type { Api } from './api.ts'
import { checkClientSecret, clientSecretOf } from './client-secret.ts'
import { deferred } from './deferred.ts'
import { amount, currency, metadata, optionalText, reference } from './fields.ts'
import type { RouteResult } from './json.ts'
import { createdParam, filtersOf, listObjects, pageParams } from './pagination.ts'
import { type Resource, retrieve } from './resource.ts'
import { type PaymentIntentShape, paymentIntentList, paymentIntentSchema } from './schemas/payment-intent.ts'
import { ShownObject } from './shown-object.ts'

const createParams = deferred(() =>
  z.object({
    amount,
    currency,
    customer: reference.optional(),
    payment_method: reference.optional(),
    confirm: z.boolean().default(false),
    description: optionalText,
    metadata,
  }),
)
const updateParams = deferred(() =>
  z.object({
    amount: amount.optional(),
    currency: currency.optional(),
    customer: reference.optional(),
    payment_method: reference.optional(),
    description: optionalText,
    metadata,
  }),
)
const confirmParams = deferred(() =>
  z.object({ payment_method: reference.optional(), client_secret: z.string().optional() }),
)
const retrieveParams = deferred(() => z.object({ client_secret: z.string().optional() }))
const cancelParams = deferred(() =>
  z.object({
    cancellation_reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned']).optional(),
  }),
)
const settleParams = deferred(() => z.object({ outcome: z.enum(['succeed', 'fail']) }))
const listParams = deferred(() =>
  z.object({ ...pageParams, customer: reference.optional(), created: createdParam() }),
)

function paymentIntentRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents',
      summary: 'Creates a payment intent. With confirm, also confirms it.',
      params: createParams,
      status: 201,
      returns: paymentIntentSchema,
      errors: {
        400: ['payment_not_initialized'],
        402: DECLINE_CODES,
        404: ['resource_missing'],
      },
    },
    ({ unit, view, params }) => present(view, createPaymentIntent(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/payment_intents',
      summary: 'Lists payment intents, newest first.',
      params: listParams,
      returns: paymentIntentList,
    },
    (call) => listObjects(call, 'payment_intent', filtersOf(call.params, 'customer'), presentPaymentIntent),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/payment_intents/:id',
      summary:
        'Retrieves a payment intent, also from a browser with a publishable key and the client_secret.',
      params: retrieveParams,
      returns: paymentIntentSchema,
      isPublic: true,
    },
    ({ view, id, params, isPublic }) => {
      if (isPublic) checkClientSecret(view, { kind: 'payment_intent', id, given: params.client_secret })
      return ShownObject.of(view, retrieve(view, 'payment_intent', id), shown(isPublic))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents/:id',
      summary: 'Updates the given fields of a payment intent.',
      params: updateParams,
      returns: paymentIntentSchema,
      errors: { 400: ['payment_intent_unexpected_state', 'invalid_state_transition'] },
    },
    ({ unit, view, params, id, given }) =>
      presentPaymentIntent(
        view,
        updatePaymentIntent(unit, id, { ...params, namesStatus: 'status' in given }),
      ),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents/:id/confirm',
      summary:
        'Confirms a payment intent: charges its payment method, or waits for an action of the customer.',
      params: confirmParams,
      returns: paymentIntentSchema,
      isPublic: true,
      errors: { 400: ['payment_intent_unexpected_state', 'payment_not_initialized'], 402: DECLINE_CODES },
    },
    ({ unit, view, params, id, isPublic }) => {
      if (isPublic) checkClientSecret(view, { kind: 'payment_intent', id, given: params.client_secret })
      return present(view, confirmPaymentIntent(unit, id, params), shown(isPublic))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents/:id/cancel',
      summary: 'Cancels a payment intent that has not succeeded.',
      params: cancelParams,
      returns: paymentIntentSchema,
      errors: { 400: ['payment_intent_unexpected_state'] },
    },
    ({ unit, view, params, id }) =>
      presentPaymentIntent(view, cancelPaymentIntent(unit, id, params.cancellation_reason ?? null)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/payment_intents/:id/settle',
      summary: 'Completes the pending action of the customer, with success or failure.',
      params: settleParams,
      returns: paymentIntentSchema,
      errors: { 400: ['payment_intent_unexpected_state'] },
    },
    ({ unit, view, params, id }) => presentPaymentIntent(view, settlePaymentIntent(unit, id, params.outcome)),
  )
}

type Presenter = (view: View, intent: PaymentIntent) => PaymentIntentShape

const present = (
  view: View,
  { intent, declined }: IntentOutcome,
  present: Presenter = presentPaymentIntent,
): RouteResult<PaymentIntentShape> =>
  declined ? declinedPayment(view, intent, declined, present) : present(view, intent)

const shown = (isPublic: boolean): Presenter => (isPublic ? presentToBrowser : presentPaymentIntent)

export type Decline = {
  readonly code: string
  readonly decline_code: string | null
  readonly message: string
}

/**
 * Creates the error for a declined payment. The command is committed nevertheless, with the failed payment. See
 * docs/contract/errors.md#declines.
 */
export function declinedPayment(
  view: View,
  intent: PaymentIntent | undefined,
  { code, decline_code, message }: Decline,
  present: Presenter = presentPaymentIntent,
): ApiError {
  const shown = intent ? present(view, intent) : null
  return paymentFailed(code, message, {
    decline_code,
    charge: shown?.last_payment_error?.charge ?? null,
    payment_intent: shown,
  })
}

function presentPaymentIntent(view: View, intent: PaymentIntent): Required<PaymentIntentShape> {
  const method =
    intent.payment_method === null ? undefined : view.get('payment_method', intent.payment_method)
  return {
    id: intent.id,
    object: 'payment_intent',
    created: intent.created,
    livemode: false,
    merchant_id: view.merchant.id,
    status: intent.status,
    amount: intent.amount,
    amount_received: intent.amount_received,
    currency: intent.currency,
    client_secret: clientSecretOf(view.ids, intent.id),
    customer: intent.customer,
    description: intent.description,
    invoice: intent.invoice,
    latest_charge: intent.latest_charge,
    last_payment_error: intent.last_payment_error,
    next_action: intentFactsOf(intent).awaitsCustomer ? nextAction(intent.id, method?.type ?? 'card') : null,
    payment_method: intent.payment_method,
    payment_method_types: [method?.type ?? 'card'],
    canceled_at: intent.canceled_at,
    cancellation_reason: intent.cancellation_reason,
    metadata: intent.metadata,
  }
}

/**
 * Presents an intent to a browser, without the fields that a publishable key may not see.
 * See docs/contract/authentication.md#publishable-keys.
 */
function presentToBrowser(view: View, intent: PaymentIntent): PaymentIntentShape {
  const { customer, metadata, invoice, latest_charge, ...rest } = presentPaymentIntent(view, intent)
  const error = rest.last_payment_error
  return { ...rest, last_payment_error: error && { ...error, charge: null } }
}

/** Presents the pending action of the customer, and the test helper that completes it. paytwin: its fields. */
const nextAction = (id: string, type: string): PaymentIntentShape['next_action'] => ({
  type: type === 'card' ? 'authenticate' : `${type}_push`,
  settle_with: `/v1/test_helpers/payment_intents/${id}/settle`,
})

export const paymentIntentResource: Resource<'payment_intent'> = {
  collection: 'payment_intents',
  present: presentPaymentIntent,
  routes: paymentIntentRoutes,
  params: {
    customer: 'The id of the customer who pays.',
    payment_method: 'The payment method to charge. Can be a test id.',
    confirm: 'Whether to confirm the intent immediately.',
    client_secret: 'The client_secret of the intent. Required with a publishable key.',
    outcome: 'Whether the action of the customer succeeds.',
    status: 'Cannot be set: any value is refused.',
  },
  queryParams: {
    customer: 'Only payment intents of this customer.',
  },
}
