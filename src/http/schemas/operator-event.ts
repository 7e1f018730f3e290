import * as z from 'zod'
import { STRIPE_API_VERSIONS } from '../../core/api-version.ts'
import { CLOCK_EVENT_TYPES, FOREIGN_EVENT_TYPES } from '../../core/kinds.ts'
import { component, type Shape } from './component.ts'
import { eventSchema } from './event.ts'
import { common, listOf, text } from './fields.ts'

/** The fields of an event whose object is one of Stripe's API. */
const foreignFields = () => ({
  ...common('event', 'evt'),
  data: z
    .object({
      object: z.record(z.string(), z.unknown()).describe('The object right after the event.'),
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

/** With `form=merchant`: an event in the form of Stripe's API, with its names and objects. */
const inStripesForm = () =>
  z
    .object({
      ...foreignFields(),
      type: text("Stripe's name of the type, such as customer.subscription.created."),
      api_version: z
        .enum(STRIPE_API_VERSIONS)
        .describe("The version of Stripe's API in which the object is shown."),
    })
    .describe(
      "With form=merchant: an event of a merchant with Stripe's API, in Stripe's form, with its merchant_id.",
    )

/** An event that only merchants with Stripe's API have, in paytwin's own form. */
const ofStripeOnly = () =>
  z
    .object({
      ...foreignFields(),
      type: z
        .enum([...FOREIGN_EVENT_TYPES, ...CLOCK_EVENT_TYPES])
        .describe("A type that only merchants with Stripe's API have."),
      api_version: text('The API version of the object, fixed when the event was emitted.'),
    })
    .describe("An event that only merchants with Stripe's API have, in paytwin's own form.")

/** An event of any merchant for the operator. */
export const operatorEventSchema = component('EventOfAnyMerchant', () =>
  z
    .union([eventSchema.schema, inStripesForm(), ofStripeOnly()])
    .describe('An event of a merchant, whatever its API is.'),
)
export type OperatorEventShape = Shape<typeof operatorEventSchema>
export const operatorEventList = listOf(operatorEventSchema)
