import type Stripe from 'stripe'
import * as z from 'zod'
import { REFUND_REASONS } from '../../../core/refund.ts'
import { createRefund } from '../../../engine/resources/refund.ts'
import { amount, metadata, reference } from '../../fields.ts'
import { createdFilters, createdParam, equals, pageParams } from '../../pagination.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { presentCharge, presentRefund } from '../present/payment.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const refund = returning<Wire<Stripe.Refund>>('refund')
const chargeList = z.object({
  ...pageParams,
  customer: reference.optional(),
  payment_intent: reference.optional(),
  created: createdParam,
})
const refundParams = z.object({
  charge: reference.optional(),
  payment_intent: reference.optional(),
  amount: amount.optional(),
  reason: z.enum(REFUND_REASONS).optional(),
  metadata,
})
const refundList = z.object({
  ...pageParams,
  charge: reference.optional(),
  payment_intent: reference.optional(),
  created: createdParam,
})

/** Registers the routes of charges and refunds. */
export function chargeRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/charges',
      summary: 'Lists charges.',
      params: chargeList,
      returns: returningList<Wire<Stripe.Charge>>('charge'),
    },
    (call) => {
      const { customer, payment_intent, created } = call.params
      const filters = [
        ...equals('customer', customer),
        ...equals('payment_intent', payment_intent),
        ...createdFilters(created),
      ]
      return listKind(call, 'charge', filters, (found) => presentCharge(call.view, found))
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/charges/:id',
      summary: 'Retrieves a charge.',
      returns: returning<Wire<Stripe.Charge>>('charge'),
    },
    ({ view, id }) => presentCharge(view, retrieve(view, 'charge', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/refunds',
      summary: 'Refunds a charge, fully or partly.',
      params: refundParams,
      requires: (raw) =>
        raw.charge === undefined && raw.payment_intent === undefined ? 'payment_intent' : undefined,
      returns: refund,
    },
    ({ unit, view, params }) => presentRefund(view, createRefund(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/refunds',
      summary: 'Lists refunds.',
      params: refundList,
      returns: returningList<Wire<Stripe.Refund>>('refund'),
    },
    (call) => {
      const { charge, payment_intent, created } = call.params
      const filters = [
        ...equals('charge', charge),
        ...equals('payment_intent', payment_intent),
        ...createdFilters(created),
      ]
      return listKind(call, 'refund', filters, (found) => presentRefund(call.view, found))
    },
  )
  api.read(
    { method: 'get', path: '/v1/refunds/:id', summary: 'Retrieves a refund.', returns: refund },
    ({ view, id }) => presentRefund(view, retrieve(view, 'refund', id)),
  )
}
