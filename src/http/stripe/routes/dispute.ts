import type Stripe from 'stripe'
import { closeDispute, updateDispute } from '../../../engine/resources/dispute.ts'
import { listParams, updateParams } from '../../dispute.ts'
import { filtersOf } from '../../pagination.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { presentDispute } from '../present/dispute.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const dispute = returning<Wire<Stripe.Dispute>>('dispute')

export function disputeRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/disputes',
      summary: 'Lists disputes.',
      params: listParams,
      returns: returningList<Wire<Stripe.Dispute>>('dispute'),
    },
    (call) => listKind(call, 'dispute', filtersOf(call.params, 'charge', 'payment_intent'), presentDispute),
  )
  api.read(
    { method: 'get', path: '/v1/disputes/:id', summary: 'Retrieves a dispute.', returns: dispute },
    ({ view, id }) => presentDispute(view, retrieve(view, 'dispute', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/disputes/:id',
      summary: 'Updates a dispute, and submits its evidence.',
      params: updateParams,
      returns: dispute,
    },
    ({ unit, view, id, params }) => presentDispute(view, updateDispute(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/disputes/:id/close',
      summary: 'Gives a dispute up, which is then lost.',
      returns: dispute,
    },
    ({ unit, view, id }) => presentDispute(view, closeDispute(unit, id)),
  )
}
