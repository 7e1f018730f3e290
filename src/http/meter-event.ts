import * as z from 'zod'
import { parameterInvalid } from '../core/errors.ts'
import { type Meter, quantityDecimal } from '../core/meter.ts'
import type { View } from '../engine/history/view.ts'
import {
  cancelMeterEvent,
  createMeterEvent,
  type MeterEvent,
  type Summary,
  type SummarySpan,
  summariesOf,
} from '../engine/resources/meter-event.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { instant, reference } from './fields.ts'
import { listFrom, pageParams } from './pagination.ts'
import { retrieve } from './resource.ts'
import {
  type MeterEventShape,
  type MeterEventSummaryShape,
  meterEventAdjustmentSchema,
  meterEventSchema,
  meterEventSummaryList,
} from './schemas/meter.ts'

const MAX_PAYLOAD_KEYS = 50
const MAX_TEXT = 100

const identifier = deferred(() => z.string().min(1).max(MAX_TEXT))
const payload = deferred(() =>
  z
    .record(z.string(), z.union([z.string(), z.number()], { error: 'expected strings as values' }))
    .refine((given) => Object.keys(given).length <= MAX_PAYLOAD_KEYS, {
      error: `expected at most ${MAX_PAYLOAD_KEYS} keys`,
    })
    .refine(
      (given) => Object.entries(given).every((pair) => pair.every((text) => String(text).length <= MAX_TEXT)),
      {
        error: `expected keys and values of at most ${MAX_TEXT} characters`,
      },
    )
    .transform((given) =>
      Object.fromEntries(Object.entries(given).map(([key, value]) => [key, String(value)])),
    ),
)

export const meterEventParams = deferred(() =>
  z.object({
    event_name: z.string().min(1).max(MAX_TEXT),
    payload: payload(),
    timestamp: instant.optional(),
    identifier: identifier().optional(),
  }),
)
export const adjustmentParams = deferred(() =>
  z.object({
    event_name: z.string().min(1).max(MAX_TEXT),
    type: z.literal('cancel'),
    cancel: z.object({ identifier: identifier() }),
  }),
)

const WINDOW_SECONDS = { hour: 3_600, day: 86_400 } as const
const MINUTE_SECONDS = 60

export const summaryParams = deferred(() =>
  z
    .object({
      ...pageParams,
      customer: reference,
      start_time: instant,
      end_time: instant,
      value_grouping_window: z.enum(['hour', 'day']).optional(),
    })
    .refine(({ start_time, end_time }) => start_time < end_time, {
      path: ['end_time'],
      error: 'expected a time after start_time',
    }),
)

/** Registers the routes of meter events. See docs/contract/usage.md#meter-events. */
export function meterEventRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/billing/meter_events',
      summary: 'Reports the usage of a customer.',
      params: meterEventParams,
      status: 201,
      returns: meterEventSchema,
    },
    ({ unit, view, params }) => presentMeterEvent(view, createMeterEvent(unit, params)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/billing/meter_event_adjustments',
      summary: 'Cancels a reported usage within 24 hours.',
      params: adjustmentParams,
      status: 201,
      returns: meterEventAdjustmentSchema,
    },
    ({ unit, view, params: { event_name, cancel } }) => {
      cancelMeterEvent(unit, { event_name, ...cancel })
      return {
        object: 'billing.meter_event_adjustment' as const,
        livemode: false,
        merchant_id: view.merchant.id,
        event_name,
        type: 'cancel' as const,
        cancel,
        status: 'complete' as const,
      }
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/billing/meters/:id/event_summaries',
      summary: 'Lists the usage of a customer in a span of time, newest first.',
      params: summaryParams,
      returns: meterEventSummaryList,
      errors: { 404: ['resource_missing'] },
    },
    ({ c, view, services, id, params }) => {
      const meter = retrieve(view, 'billing_meter', id)
      const summaries = summariesOf(services.engine, view, spanOf(meter, params))
      return listFrom({ c, params }, summaries, (summary) => presentSummary(view, meter, summary))
    },
  )
}

/** Returns the span of time whose usage is listed. @throws ApiError parameter_invalid, param start_time or end_time */
export function spanOf(
  meter: Meter,
  {
    customer,
    start_time: start,
    end_time: end,
    value_grouping_window: name,
  }: z.infer<ReturnType<typeof summaryParams>>,
): SummarySpan {
  const window = name && WINDOW_SECONDS[name]
  checkAligned({ start_time: start, end_time: end }, window ?? MINUTE_SECONDS, name ?? 'minute')
  return { meter, customer, start, end, window }
}

/** Returns the usage in a summary, as the nearest number. */
export const usageIn = ({ quantity }: Summary): number => Number(quantityDecimal(quantity))

/** @throws ApiError parameter_invalid, param start_time or end_time, for a time within a window */
function checkAligned(times: Readonly<Record<string, number>>, seconds: number, window: string): void {
  for (const [param, time] of Object.entries(times)) {
    if (time % seconds !== 0)
      throw parameterInvalid(
        param,
        `${param} must be the start of ${window === 'hour' ? 'an' : 'a'} ${window}, in UTC`,
      )
  }
}

const presentMeterEvent = (view: View, event: MeterEvent): MeterEventShape => ({
  object: 'billing.meter_event',
  created: event.created,
  livemode: false,
  merchant_id: view.merchant.id,
  event_name: event.event_name,
  identifier: event.identifier,
  payload: event.payload,
  timestamp: event.timestamp,
})

const presentSummary = (view: View, meter: Meter, summary: Summary): MeterEventSummaryShape => ({
  id: summary.id,
  object: 'billing.meter_event_summary',
  livemode: false,
  merchant_id: view.merchant.id,
  meter: meter.id,
  aggregated_value: usageIn(summary),
  start_time: summary.start,
  end_time: summary.end,
})
