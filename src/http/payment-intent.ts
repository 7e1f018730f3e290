import { z } from 'zod'
import type { PaymentIntent } from '../core/payment-intent.ts'
import type { View } from '../engine/view.ts'
import type { Api } from './api.ts'
import { reference } from './fields.ts'
import type { Json } from './json.ts'
import { createdFilters, createdParam, equals, listObjects, pageParams } from './pagination.ts'
import { common, retrieve } from './resource.ts'

const listParams = z.object({ ...pageParams, customer: reference.optional(), created: createdParam })

const CLIENT_SECRET_LENGTH = 24

/** Source: interface.md 4.1; decisions.md 4. */
export function paymentIntentRoutes(api: Api): void {
  api.read({ method: 'get', path: '/v1/payment_intents', params: listParams }, (call) =>
    listObjects(
      call,
      'payment_intent',
      [...equals('customer', call.params.customer), ...createdFilters(call.params.created)],
      (intent) => presentPaymentIntent(call.view, intent),
    ),
  )
  api.read({ method: 'get', path: '/v1/payment_intents/:id' }, ({ view, id }) =>
    presentPaymentIntent(view, retrieve(view, 'payment_intent', id)),
  )
}

/** The secret is never stored: it follows from the seed. Source: decisions.md 1 ("Ids"), 4. */
export const clientSecretOf = ({ ids }: View, id: string): string =>
  `${id}_secret_${ids.derived(`client secret ${id}`, CLIENT_SECRET_LENGTH)}`

/** Source: interface.md 2.1; decisions.md 4. */
export function presentPaymentIntent(view: View, intent: PaymentIntent): Json {
  const method =
    intent.payment_method === null ? undefined : view.get('payment_method', intent.payment_method)
  return {
    ...common(view, 'payment_intent', intent),
    status: intent.status,
    amount: intent.amount,
    amount_received: intent.amount_received,
    currency: intent.currency,
    client_secret: clientSecretOf(view, intent.id),
    customer: intent.customer,
    description: intent.description,
    invoice: intent.invoice,
    latest_charge: intent.latest_charge,
    last_payment_error: intent.last_payment_error,
    next_action: null,
    payment_method: intent.payment_method,
    payment_method_types: [method?.type ?? 'card'],
    canceled_at: intent.canceled_at,
    cancellation_reason: intent.cancellation_reason,
    metadata: intent.metadata,
  }
}
