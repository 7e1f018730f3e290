import * as z from 'zod'
import { DELIVERY_PREFIX } from '../../core/webhook.ts'
import { component, type Shape } from './component.ts'
import { common, commonOf, deletedStub, listOf, metadata, reference, seconds, text } from './fields.ts'

const endpointFields = () => ({
  ...commonOf('webhook_endpoint'),
  url: text('The url that receives the events.'),
  enabled_events: z.array(z.string()).describe('Names and globs of the events to receive.'),
  description: text('A description for your own use.').nullable(),
  status: z.enum(['enabled', 'disabled']).describe('Whether events are delivered.'),
  metadata: metadata(),
})

export const endpointSchema = component('WebhookEndpoint', () =>
  z
    .object(endpointFields())
    .describe('A receiver of events. Each matching event is sent to its url, with a signature.'),
)
export type EndpointShape = Shape<typeof endpointSchema>
export const endpointList = listOf(endpointSchema)
export const createdEndpointSchema = component('CreatedWebhookEndpoint', () =>
  z
    .object({
      ...endpointFields(),
      secret: text('The secret that signs the deliveries, shown only in this response.'),
    })
    .describe('A new webhook endpoint.'),
)
export const deletedEndpoint = deletedStub('DeletedWebhookEndpoint', 'webhook_endpoint')

const deliveryFields = () => ({
  ...common('webhook_delivery', DELIVERY_PREFIX),
  event: text('The id of the event.'),
  endpoint: reference('The webhook endpoint.', 'WebhookEndpoint'),
  status: z
    .enum(['pending', 'succeeded', 'failed', 'discarded'])
    .describe(
      'The status. failed: no retries are left. discarded: the endpoint was disabled or deleted, or returned 410.',
    ),
  attempts: z
    .array(
      z.object({
        time: seconds("The time of the attempt, on the merchant's clock"),
        response_status: z.int().nullable().describe('The status of the response; null without a response.'),
        response_body: text('The beginning of the response; null without a response.').nullable(),
        error: text('The error; null if there was a response.').nullable(),
        duration_ms: z.int().describe('The duration of the post in milliseconds; 0 if nothing was sent.'),
      }),
    )
    .describe('The attempts, oldest first.'),
  next_attempt: seconds("The next attempt, on the merchant's clock; null if none is scheduled").nullable(),
})

const deliverySchema = component('WebhookDelivery', () =>
  z.object(deliveryFields()).describe('The delivery of an event to a webhook endpoint, with its attempts.'),
)
const deliveryFieldsWithType = () => ({ ...deliveryFields(), event_type: text('The type of the event.') })

const deliveryWithType = component('WebhookDeliveryWithType', () =>
  z
    .object(deliveryFieldsWithType())
    .describe('The delivery of an event to a webhook endpoint, with its attempts and the type of the event.'),
)
export const deliveryWithRequest = component('WebhookDeliveryWithRequest', () =>
  z
    .object({
      ...deliveryFieldsWithType(),
      url: text('The url of the endpoint.'),
      request_body: text('The body of the request, as it would be sent now.'),
    })
    .describe('The delivery of an event to a webhook endpoint, with its request.'),
)
export type DeliveryWithRequestShape = Shape<typeof deliveryWithRequest>
export type DeliveryWithTypeShape = Shape<typeof deliveryWithType>
export type DeliveryShape = Shape<typeof deliverySchema>
export const deliveryList = listOf(deliverySchema)
export const deliveryWithTypeList = listOf(deliveryWithType)
