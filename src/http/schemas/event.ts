import * as z from 'zod'
import type { Kind } from '../../core/change.ts'
import { EVENT_TYPES } from '../../core/event.ts'
import { chargeSchema } from './charge.ts'
import { type Component, component, type Shape } from './component.ts'
import { customerSchema } from './customer.ts'
import { common, listOf, text } from './fields.ts'
import { invoiceSchema } from './invoice.ts'
import { paymentIntentSchema } from './payment-intent.ts'
import { paymentMethodSchema } from './payment-method.ts'
import { priceSchema, productSchema } from './price.ts'
import { refundSchema } from './refund.ts'
import { subscriptionSchema } from './subscription.ts'

/** The object in events of each kind, in the order of the documentation; null for kinds without events. */
const EVENT_OBJECTS: Readonly<Record<Kind, Component | null>> = {
  subscription: subscriptionSchema,
  invoice: invoiceSchema,
  payment_intent: paymentIntentSchema,
  charge: chargeSchema,
  refund: refundSchema,
  customer: customerSchema,
  payment_method: paymentMethodSchema,
  price: priceSchema,
  product: productSchema,
  invoice_item: null,
  webhook_endpoint: null,
  webhook_delivery: null,
}

/** The schema of the object in an event: a union in the documentation, any object in TypeScript. */
const eventObject = () =>
  z
    .union(Object.values(EVENT_OBJECTS).flatMap((component) => (component ? [component.schema] : [])))
    .describe(
      'The object right after the event. For a deletion, the object right before it.',
    ) as unknown as z.ZodType<Readonly<Record<string, unknown>>>

export const eventSchema = component('Event', () =>
  z
    .object({
      ...common('event', 'evt'),
      type: z.enum(EVENT_TYPES).describe('The type.'),
      api_version: text('The API version of the object, fixed when the event was emitted.'),
      data: z
        .object({
          object: eventObject(),
          previous_attributes: z
            .record(z.string(), z.unknown())
            .optional()
            .describe('For an update: the former values of the changed fields.'),
        })
        .describe('The object of the event.'),
      request: z
        .object({
          id: text('The Request-Id of the request; null if a job emitted the event.').nullable(),
          idempotency_key: text('The Idempotency-Key of the request, if it had one.').nullable(),
        })
        .describe('The request that emitted the event.'),
      pending_webhooks: z.int().describe('The number of pending deliveries.'),
    })
    .describe('An event, which reports a change of an object.'),
)
export type EventShape = Shape<typeof eventSchema>
export const eventList = listOf(eventSchema)
