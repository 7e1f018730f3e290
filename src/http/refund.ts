import * as z from 'zod'
import { REFUND_REASONS, type Refund } from '../core/refund.ts'
import type { View } from '../engine/history/view.ts'
import { createRefund } from '../engine/resources/refund.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { amount, metadata, reference } from './fields.ts'
import { createdParam, filtersOf, listObjects, pageParams } from './pagination.ts'
import { common, type Resource, retrieve } from './resource.ts'
import { type RefundShape, refundList, refundSchema } from './schemas/refund.ts'
import { ShownObject } from './shown-object.ts'

export const createParams = deferred(() =>
  z.object({
    charge: reference.optional(),
    payment_intent: reference.optional(),
    amount: amount.optional(),
    reason: z.enum(REFUND_REASONS).optional(),
    metadata,
  }),
)
export const listParams = deferred(() =>
  z.object({
    ...pageParams,
    charge: reference.optional(),
    payment_intent: reference.optional(),
    created: createdParam(),
  }),
)

function refundRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/refunds',
      summary: 'Refunds a charge, fully or partly.',
      params: createParams,
      requires: (raw) =>
        raw.charge === undefined && raw.payment_intent === undefined ? 'charge' : undefined,
      status: 201,
      returns: refundSchema,
      errors: { 400: ['payment_intent_unexpected_state', 'charge_disputed'], 404: ['resource_missing'] },
    },
    ({ unit, view, params }) => presentRefund(view, createRefund(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/refunds',
      summary: 'Lists refunds, newest first.',
      params: listParams,
      returns: refundList,
    },
    (call) => listObjects(call, 'refund', filtersOf(call.params, 'charge', 'payment_intent'), presentRefund),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/refunds/:id',
      summary: 'Retrieves a refund.',
      returns: refundSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'refund', id), presentRefund),
  )
}

const presentRefund = (view: View, refund: Refund): RefundShape => ({
  ...common(view, 'refund', refund),
  status: refund.status,
  amount: refund.amount,
  currency: refund.currency,
  charge: refund.charge,
  payment_intent: refund.payment_intent,
  reason: refund.reason,
  failure_reason: refund.failure_reason,
  metadata: refund.metadata,
})

export const refundResource: Resource<'refund'> = {
  collection: 'refunds',
  present: presentRefund,
  routes: refundRoutes,
  params: {
    charge: 'The charge to refund. Required unless payment_intent is given.',
    payment_intent: 'The payment intent whose charge to refund.',
    amount: 'The amount to refund, in the smallest currency unit. Default: the remainder.',
  },
  queryParams: {
    charge: 'Only refunds of this charge.',
    payment_intent: 'Only refunds of this payment intent.',
  },
}
