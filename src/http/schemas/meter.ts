import * as z from 'zod'
import { FORMULAS, METER_STATUSES } from '../../core/meter.ts'
import { component, type Shape } from './component.ts'
import { common, listOf, livemode, reference, seconds, text } from './fields.ts'

export const meterSchema = component('BillingMeter', () =>
  z
    .object({
      ...common('billing.meter', 'mtr'),
      display_name: text('The name.'),
      event_name: text('The name of its events, unique among the meters of the merchant.'),
      status: z.enum(METER_STATUSES).describe('The status. An inactive meter accepts no events.'),
      default_aggregation: z
        .object({
          formula: z
            .enum(FORMULAS)
            .describe('sum adds the values, count counts the events, last takes the latest value.'),
        })
        .describe('How the events of a period become a quantity.'),
      customer_mapping: z
        .object({
          type: z.literal('by_id').describe('Always by_id.'),
          event_payload_key: text('The key in the payload of an event that has the id of the customer.'),
        })
        .describe('How events name their customer.'),
      value_settings: z
        .object({ event_payload_key: text('The key in the payload of an event that has the value.') })
        .describe('How events name their value.'),
      updated: seconds('When it was last changed'),
      status_transitions: z
        .object({ deactivated_at: seconds('When it was deactivated; null if it is active').nullable() })
        .describe('The times of status changes.'),
    })
    .describe('Measures the usage of each customer for metered prices.'),
)
export type MeterShape = Shape<typeof meterSchema>
export const meterList = listOf(meterSchema)

const merchantId = () => text('The merchant of the object.')

export const meterEventSchema = component('BillingMeterEvent', () =>
  z
    .object({
      object: z.literal('billing.meter_event').describe('The type of the object.'),
      created: seconds('When it was received, on the clock of the customer'),
      livemode: livemode(),
      merchant_id: merchantId(),
      event_name: text('The event name of the meter.'),
      identifier: text('The identifier, which no other event of the merchant has.'),
      payload: z.record(z.string(), z.string()).describe('The customer and the value.'),
      timestamp: seconds('When the usage occurred'),
    })
    .describe('A reported usage of a customer.'),
)
export type MeterEventShape = Shape<typeof meterEventSchema>

export const meterEventAdjustmentSchema = component('BillingMeterEventAdjustment', () =>
  z
    .object({
      object: z.literal('billing.meter_event_adjustment').describe('The type of the object.'),
      livemode: livemode(),
      merchant_id: merchantId(),
      event_name: text('The event name of the meter.'),
      type: z.literal('cancel').describe('Always cancel.'),
      cancel: z
        .object({ identifier: text('The identifier of the canceled event.') })
        .describe('The canceled event.'),
      status: z.literal('complete').describe('Always complete: events are canceled at once.'),
    })
    .describe('The cancellation of a reported usage.'),
)

const meterEventSummarySchema = component('BillingMeterEventSummary', () =>
  z
    .object({
      id: text('The id, which begins with mtrusg_.'),
      object: z.literal('billing.meter_event_summary').describe('The type of the object.'),
      livemode: livemode(),
      merchant_id: merchantId(),
      meter: reference('The meter.', 'BillingMeter'),
      aggregated_value: z.number().describe('The usage of the customer in the span.'),
      start_time: seconds('The start of the span, inclusive'),
      end_time: seconds('The end of the span, exclusive'),
    })
    .describe('The usage of a customer in a span of time.'),
)
export type MeterEventSummaryShape = Shape<typeof meterEventSummarySchema>
export const meterEventSummaryList = listOf(meterEventSummarySchema)
