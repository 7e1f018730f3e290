import type Stripe from 'stripe'
import * as z from 'zod'
import type { ApiError } from '../../../core/errors.ts'
import { paymentFailed } from '../../../core/errors.ts'
import type { PaymentIntent } from '../../../core/payment-intent.ts'
import type { View } from '../../../engine/history/view.ts'
import {
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  type IntentOutcome,
  settlePaymentIntent,
  updatePaymentIntent,
} from '../../../engine/resources/payment-intent.ts'
import { amount, currency, metadata, optionalText, reference } from '../../fields.ts'
import { createdParam, filtersOf, pageParams } from '../../pagination.ts'
import type { Decline } from '../../payment-intent.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { only } from '../only.ts'
import { presentPaymentIntent } from '../present/payment.ts'
import { listKind, returning, returningList } from '../returns.ts'
import { searchRoute } from '../search/route.ts'
import type { Wire } from '../wire.ts'

const intent = returning<Wire<Stripe.PaymentIntent>>('payment_intent')

/** Parameters that are accepted only with the values that have no effect here. */
const fixed = {
  automatic_payment_methods: z
    .object({ enabled: only(true), allow_redirects: z.literal('always').optional() })
    .optional(),
  capture_method: z.enum(['automatic', 'automatic_async']).optional(),
  confirmation_method: z.literal('automatic').optional(),
}
const createParams = z.object({
  amount,
  currency,
  customer: reference.optional(),
  payment_method: reference.optional(),
  confirm: z.boolean().default(false),
  description: optionalText,
  metadata,
  ...fixed,
})
const updateParams = z.object({
  amount: amount.optional(),
  currency: currency.optional(),
  customer: reference.optional(),
  payment_method: reference.optional(),
  description: optionalText,
  metadata,
})
const cancelParams = z.object({
  cancellation_reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned']).optional(),
})
const listParams = z.object({ ...pageParams, customer: reference.optional(), created: createdParam })

export function paymentIntentRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents',
      summary: 'Creates a payment intent. With confirm, also confirms it.',
      params: createParams,
      returns: intent,
    },
    ({ unit, view, params }) => resultOf(view, createPaymentIntent(unit, params)),
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
      return listKind(call, 'payment_intent', filtersOf(call.params, 'customer'), (found) =>
        presentPaymentIntent(call.view, found),
      )
    },
  )
  searchRoute(api, { kind: 'payment_intent', path: '/v1/payment_intents', present: presentPaymentIntent })
  api.read(
    {
      method: 'get',
      path: '/v1/payment_intents/:id',
      summary: 'Retrieves a payment intent.',
      returns: intent,
    },
    ({ view, id }) => presentPaymentIntent(view, retrieve(view, 'payment_intent', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents/:id',
      summary: 'Updates a payment intent.',
      params: updateParams,
      returns: intent,
    },
    ({ unit, view, params, id }) =>
      presentPaymentIntent(view, updatePaymentIntent(unit, id, { ...params, namesStatus: false })),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents/:id/confirm',
      summary: 'Confirms a payment intent. The intent of an invoice pays the invoice.',
      params: z.object({ payment_method: reference.optional() }),
      returns: intent,
    },
    ({ unit, view, params, id }) => resultOf(view, confirmPaymentIntent(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_intents/:id/cancel',
      summary: 'Cancels a payment intent.',
      params: cancelParams,
      returns: intent,
    },
    ({ unit, view, params, id }) =>
      presentPaymentIntent(view, cancelPaymentIntent(unit, id, params.cancellation_reason ?? null)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/payment_intents/:id/settle',
      summary: "Completes the pending action of the customer. This route is paytwin's own.",
      params: z.object({ outcome: z.enum(['succeed', 'fail']) }),
      returns: intent,
    },
    ({ unit, view, params, id }) => presentPaymentIntent(view, settlePaymentIntent(unit, id, params.outcome)),
  )
}

const resultOf = (view: View, { intent: found, declined }: IntentOutcome) =>
  declined ? declinedPayment(view, found, declined) : presentPaymentIntent(view, found)

/** Creates the error for a declined payment. The failed payment is written nevertheless. */
export function declinedPayment(view: View, found: PaymentIntent | undefined, decline: Decline): ApiError {
  const { code, decline_code, message } = decline
  const payment_intent = found && presentPaymentIntent(view, found)
  const { charge, payment_method } = payment_intent?.last_payment_error ?? {}
  return paymentFailed(code, message, { charge, decline_code, payment_intent, payment_method })
}
