import * as z from 'zod'
import { FORMULAS, METER_STATUSES, type Meter } from '../core/meter.ts'
import type { View } from '../engine/history/view.ts'
import { createMeter, deactivateMeter, reactivateMeter, updateMeter } from '../engine/resources/meter.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { FORBIDDEN } from './form.ts'
import { meterEventRoutes } from './meter-event.ts'
import { createdParam, filtersOf, listObjects, pageParams } from './pagination.ts'
import { common, type Resource, retrieve } from './resource.ts'
import { type MeterShape, meterList, meterSchema } from './schemas/meter.ts'
import { ShownObject } from './shown-object.ts'

const name = deferred(() => z.string().min(1).max(250))
const word = deferred(() => z.string().min(1).max(100))
/** A key of the payloads of events. No request can have a parameter of a forbidden name, so no event could have the key. */
const key = deferred(() =>
  word().refine((name) => !FORBIDDEN.has(name), {
    error: 'expected another key: no parameter can have this name',
  }),
)

export const createMeterParams = deferred(() =>
  z.object({
    display_name: name(),
    event_name: word(),
    default_aggregation: z.object({ formula: z.enum(FORMULAS) }),
    customer_mapping: z.object({ type: z.literal('by_id'), event_payload_key: key() }).optional(),
    value_settings: z.object({ event_payload_key: key() }).optional(),
  }),
)
export const updateMeterParams = deferred(() => z.object({ display_name: name().optional() }))
export const meterListParams = deferred(() =>
  z.object({
    ...pageParams,
    status: z.enum(METER_STATUSES).optional(),
    created: createdParam(),
  }),
)

const PATH = '/v1/billing/meters'

function meterRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: PATH,
      summary: 'Creates a meter.',
      params: createMeterParams,
      status: 201,
      returns: meterSchema,
    },
    ({ unit, view, params }) => presentMeter(view, createMeter(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: PATH,
      summary: 'Lists meters, newest first.',
      params: meterListParams,
      returns: meterList,
    },
    (call) => listObjects(call, 'billing_meter', filtersOf(call.params, 'status'), presentMeter),
  )
  api.read(
    { method: 'get', path: `${PATH}/:id`, summary: 'Retrieves a meter.', returns: meterSchema },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'billing_meter', id), presentMeter),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id`,
      summary: 'Updates the display name of a meter.',
      params: updateMeterParams,
      returns: meterSchema,
    },
    ({ unit, view, params, id }) => presentMeter(view, updateMeter(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id/deactivate`,
      summary: 'Deactivates a meter: it accepts no events, and no new price can use it.',
      returns: meterSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, view, id }) => presentMeter(view, deactivateMeter(unit, id)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id/reactivate`,
      summary: 'Reactivates a meter: it accepts events again.',
      returns: meterSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, view, id }) => presentMeter(view, reactivateMeter(unit, id)),
  )
  meterEventRoutes(api)
}

/** Presents a meter. */
const presentMeter = (view: View, meter: Meter): MeterShape => ({
  ...common(view, 'billing.meter', meter),
  display_name: meter.display_name,
  event_name: meter.event_name,
  status: meter.status,
  default_aggregation: meter.default_aggregation,
  customer_mapping: meter.customer_mapping,
  value_settings: meter.value_settings,
  updated: meter.updated,
  status_transitions: { deactivated_at: meter.deactivated_at },
})

export const meterResource: Resource<'billing_meter'> = {
  collection: 'billing/meters',
  present: presentMeter,
  routes: meterRoutes,
  params: {
    customer_mapping: 'How events name their customer. Default: by_id with the key stripe_customer_id.',
    value_settings: 'How events name their value. Default: the key value.',
  },
  queryParams: { status: 'Only meters with this status.' },
}
