import * as z from 'zod'
import type { Charge } from '../core/charge.ts'
import type { View } from '../engine/history/view.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { reference } from './fields.ts'
import { createdParam, filtersOf, listObjects, pageParams } from './pagination.ts'
import { type Resource, retrieve } from './resource.ts'
import { type ChargeShape, chargeList, chargeSchema } from './schemas/charge.ts'
import { ShownObject } from './shown-object.ts'

export const listParams = deferred(() =>
  z.object({
    ...pageParams,
    customer: reference.optional(),
    payment_intent: reference.optional(),
    created: createdParam(),
  }),
)

function chargeRoutes(api: Api): void {
  api.read(
    {
      method: 'get',
      path: '/v1/charges',
      summary: 'Lists charges, newest first.',
      params: listParams,
      returns: chargeList,
    },
    (call) =>
      listObjects(call, 'charge', filtersOf(call.params, 'customer', 'payment_intent'), presentCharge),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/charges/:id',
      summary: 'Retrieves a charge.',
      returns: chargeSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'charge', id), presentCharge),
  )
}

function presentCharge(view: View, charge: Charge): ChargeShape {
  const isPaid = charge.status === 'succeeded'
  return {
    id: charge.id,
    object: 'charge',
    created: charge.created,
    livemode: false,
    merchant_id: view.merchant.id,
    status: charge.status,
    amount: charge.amount,
    amount_refunded: charge.amount_refunded,
    refunded: isPaid && charge.amount_refunded === charge.amount,
    paid: isPaid,
    currency: charge.currency,
    customer: charge.customer,
    invoice: charge.invoice,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    payment_method_details: detailsOf(view, charge),
    failure_code: charge.failure_code,
    failure_message: charge.failure_message,
    outcome: {
      network_status: isPaid ? 'approved_by_network' : 'declined_by_network',
      reason: charge.decline_code ?? charge.failure_code,
      seller_message: isPaid ? 'Payment complete.' : charge.failure_message,
      type: isPaid ? 'authorized' : 'issuer_declined',
    },
    disputed: charge.dispute !== null,
    dispute: charge.dispute,
    metadata: charge.metadata,
  }
}

/** Details of a payment method never change, so the current ones are those at the time of the charge. */
function detailsOf(view: View, { payment_method }: Charge): ChargeShape['payment_method_details'] {
  const method = payment_method === null ? undefined : view.get('payment_method', payment_method)
  return method ? { type: method.type, [method.type]: method.card ?? {} } : null
}

export const chargeResource: Resource<'charge'> = {
  collection: 'charges',
  present: presentCharge,
  routes: chargeRoutes,
}
