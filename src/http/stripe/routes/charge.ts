import type Stripe from 'stripe'
import * as z from 'zod'
import { updateCharge, updateRefund } from '../../../engine/resources/payment-metadata.ts'
import { createRefund } from '../../../engine/resources/refund.ts'
import { listParams as chargeList } from '../../charge.ts'
import { deferred } from '../../deferred.ts'
import { metadata } from '../../fields.ts'
import { equals, filtersOf, pageParams } from '../../pagination.ts'
import { listParams as refundList, createParams as refundParams } from '../../refund.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { presentCharge, presentRefund } from '../present/payment.ts'
import { listKind, returning, returningList } from '../returns.ts'
import { searchRoute } from '../search/route.ts'
import type { Wire } from '../wire.ts'

const refund = returning<Wire<Stripe.Refund>>('refund')
const onlyMetadata = deferred(() => z.object({ metadata }))
const refunds = returningList<Wire<Stripe.Refund>>('refund')

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
    (call) => listKind(call, 'charge', filtersOf(call.params, 'customer', 'payment_intent'), presentCharge),
  )
  searchRoute(api, { kind: 'charge', path: '/v1/charges', present: presentCharge })
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
      path: '/v1/charges/:id',
      summary: 'Updates the metadata of a charge.',
      params: onlyMetadata,
      returns: returning<Wire<Stripe.Charge>>('charge'),
    },
    ({ unit, view, id, params }) => presentCharge(view, updateCharge(unit, id, params.metadata)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/charges/:id/refunds',
      summary: 'Lists the refunds of a charge.',
      params: deferred(() => z.object(pageParams)),
      returns: refunds,
    },
    (call) => {
      const { id } = retrieve(call.view, 'charge', call.id)
      return listKind(call, 'refund', equals('charge', id), presentRefund)
    },
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
      returns: refunds,
    },
    (call) => listKind(call, 'refund', filtersOf(call.params, 'charge', 'payment_intent'), presentRefund),
  )
  api.read(
    { method: 'get', path: '/v1/refunds/:id', summary: 'Retrieves a refund.', returns: refund },
    ({ view, id }) => presentRefund(view, retrieve(view, 'refund', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/refunds/:id',
      summary: 'Updates the metadata of a refund.',
      params: onlyMetadata,
      returns: refund,
    },
    ({ unit, view, id, params }) => presentRefund(view, updateRefund(unit, id, params.metadata)),
  )
}
