import type Stripe from 'stripe'
import type { Meter } from '../../../core/meter.ts'
import {
  cancelMeterEvent,
  createMeterEvent,
  type MeterEvent,
  type Summary,
  summariesOf,
} from '../../../engine/resources/meter-event.ts'
import { adjustmentParams, meterEventParams, spanOf, summaryParams, usageIn } from '../../meter-event.ts'
import { listFrom } from '../../pagination.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { returning, returningList, wireList } from '../returns.ts'
import type { Wire } from '../wire.ts'

/** Registers the routes of meter events: the usage that customers report. */
export function meterEventRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/billing/meter_events',
      summary: 'Reports the usage of a customer.',
      params: meterEventParams,
      returns: returning<Wire<Stripe.Billing.MeterEvent>>('billing.meter_event'),
    },
    ({ unit, params }) => presentMeterEvent(createMeterEvent(unit, params)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/billing/meter_event_adjustments',
      summary: 'Cancels a reported usage within 24 hours.',
      params: adjustmentParams,
      returns: returning<Wire<Stripe.Billing.MeterEventAdjustment>>('billing.meter_event_adjustment'),
    },
    ({ unit, params: { event_name, cancel } }) => {
      cancelMeterEvent(unit, { event_name, ...cancel })
      return {
        object: 'billing.meter_event_adjustment' as const,
        cancel,
        event_name,
        livemode: false,
        status: 'complete' as const,
        type: 'cancel' as const,
      }
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/billing/meters/:id/event_summaries',
      summary: 'Lists the usage of a customer in a span of time, newest first.',
      params: summaryParams,
      returns: returningList<Wire<Stripe.Billing.MeterEventSummary>>('billing.meter_event_summary'),
    },
    ({ c, view, services, id, params }) => {
      const meter = retrieve(view, 'billing_meter', id)
      const summaries = summariesOf(services.engine, view, spanOf(meter, params))
      return wireList(listFrom({ c, params }, summaries, (summary) => presentSummary(meter, summary)))
    },
  )
}

const presentMeterEvent = (event: MeterEvent): Wire<Stripe.Billing.MeterEvent> => ({
  object: 'billing.meter_event',
  created: event.created,
  event_name: event.event_name,
  identifier: event.identifier,
  livemode: false,
  payload: { ...event.payload },
  timestamp: event.timestamp,
})

const presentSummary = (meter: Meter, summary: Summary): Wire<Stripe.Billing.MeterEventSummary> => ({
  id: summary.id,
  object: 'billing.meter_event_summary',
  aggregated_value: usageIn(summary),
  end_time: summary.end,
  livemode: false,
  meter: meter.id,
  start_time: summary.start,
})
