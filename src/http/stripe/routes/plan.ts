import type Stripe from 'stripe'
import * as z from 'zod'
import { resourceMissing } from '../../../core/errors.ts'
import { deferred } from '../../deferred.ts'
import { reference } from '../../fields.ts'
import { createdParam, filtersOf, pageParams } from '../../pagination.ts'
import type { StripeApi } from '../api.ts'
import { presentPlan } from '../present/catalog.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'
import { activeFilter } from './catalog.ts'

const listParams = deferred(() =>
  z.object({
    ...pageParams,
    active: z.boolean().optional(),
    product: reference.optional(),
    created: createdParam(),
  }),
)

/** Registers the routes that show recurring prices in their older form. */
export function planRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/plans',
      summary: 'Lists recurring prices as plans.',
      params: listParams,
      returns: returningList<Wire<Stripe.Plan>>('plan'),
    },
    (call) => {
      const filters = [
        { field: 'recurring', isNull: false },
        ...activeFilter(call.params.active),
        ...filtersOf(call.params, 'product'),
      ]
      return listKind(call, 'price', filters, (_view, price) => presentPlan(price))
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/plans/:id',
      summary: 'Retrieves a recurring price as a plan.',
      returns: returning<Wire<Stripe.Plan>>('plan'),
    },
    ({ view, id }) => {
      const price = view.get('price', id)
      if (!price?.recurring) throw resourceMissing('plan', id)
      return presentPlan(price)
    },
  )
}
