import { z } from 'zod'
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

/** The object that events of each kind carry, in the order of their description; null for kinds without events. */
const CARRIED: Readonly<Record<Kind, Component | null>> = {
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

/** The object is whatever was told of; to the code that answers it is any. */
const eventObject = () =>
  z
    .union(Object.values(CARRIED).flatMap((carried) => (carried ? [carried.schema] : [])))
    .describe(
      'The object as it was at that moment; for a deletion, the whole object as it last was.',
    ) as unknown as z.ZodType<Readonly<Record<string, unknown>>>

export const eventSchema = component('Event', () =>
  z
    .object({
      ...common('event', 'evt'),
      type: z.enum(EVENT_TYPES).describe('What happened.'),
      api_version: text('The version of the API in which the object is shown: that of its moment.'),
      data: z
        .object({
          object: eventObject(),
          previous_attributes: z
            .record(z.string(), z.unknown())
            .optional()
            .describe('Of an update: what the fields that changed held before.'),
        })
        .describe('What it tells of.'),
      request: z
        .object({
          id: text('The Request-Id of the request that made it happen; null for what time did.').nullable(),
          idempotency_key: text('The Idempotency-Key of that request, if it had one.').nullable(),
        })
        .describe('Who made it happen.'),
      pending_webhooks: z.int().describe('How many deliveries of it are under way.'),
    })
    .describe('Something that happened, told once and for all.'),
)
export type EventShape = Shape<typeof eventSchema>
export const eventList = listOf(eventSchema)
