import * as z from 'zod'
import { type AnyEventType, EVENT_TYPES, KINDS_WITH_EVENTS } from '../../core/kinds.ts'
import { component, componentOf, type Shape } from './component.ts'
import { common, listOf, text } from './fields.ts'
import { invoicePreviewSchema } from './invoice.ts'

/** The schema of the object in an event: a union in the documentation, any object in TypeScript. */
const eventObject = () =>
  z
    .union([...KINDS_WITH_EVENTS.map((kind) => componentOf(kind).schema), invoicePreviewSchema.schema])
    .describe(
      'The object right after the event. For a deletion, the object right before it.',
    ) as unknown as z.ZodType<Readonly<Record<string, unknown>>>

/** Events of other merchants, which the operator sees in this shape too, have further types. */
const types: readonly AnyEventType[] = EVENT_TYPES

export const eventSchema = component('Event', () =>
  z
    .object({
      ...common('event', 'evt'),
      type: z.enum(types).describe('The type.'),
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
