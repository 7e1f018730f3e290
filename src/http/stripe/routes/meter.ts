import type Stripe from 'stripe'
import {
  createMeter,
  deactivateMeter,
  reactivateMeter,
  updateMeter,
} from '../../../engine/resources/meter.ts'
import { createMeterParams, meterListParams, updateMeterParams } from '../../meter.ts'
import { filtersOf } from '../../pagination.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { presentMeter } from '../present/meter.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const meter = returning<Wire<Stripe.Billing.Meter>>('billing.meter')
const PATH = '/v1/billing/meters'

export function meterRoutes(api: StripeApi): void {
  api.write(
    { method: 'post', path: PATH, summary: 'Creates a meter.', params: createMeterParams, returns: meter },
    ({ unit, view, params }) => presentMeter(view, createMeter(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: PATH,
      summary: 'Lists meters.',
      params: meterListParams,
      returns: returningList<Wire<Stripe.Billing.Meter>>('billing.meter'),
    },
    (call) => {
      return listKind(call, 'billing_meter', filtersOf(call.params, 'status'), presentMeter)
    },
  )
  api.read(
    { method: 'get', path: `${PATH}/:id`, summary: 'Retrieves a meter.', returns: meter },
    ({ view, id }) => presentMeter(view, retrieve(view, 'billing_meter', id)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id`,
      summary: 'Updates the display name of a meter.',
      params: updateMeterParams,
      returns: meter,
    },
    ({ unit, view, id, params }) => presentMeter(view, updateMeter(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id/deactivate`,
      summary: 'Deactivates a meter: it accepts no events, and no new price can use it.',
      returns: meter,
    },
    ({ unit, view, id }) => presentMeter(view, deactivateMeter(unit, id)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id/reactivate`,
      summary: 'Reactivates a meter.',
      returns: meter,
    },
    ({ unit, view, id }) => presentMeter(view, reactivateMeter(unit, id)),
  )
}
