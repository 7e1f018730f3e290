import { z } from 'zod'
import { component, type Shape } from './component.ts'
import { common, deletedStub, listOf, metadata, reference, seconds, text } from './fields.ts'

const endpointFields = () => ({
  ...common('webhook_endpoint', 'we'),
  url: text('Where events are posted to.'),
  enabled_events: z.array(z.string()).describe('Names and globs of the events that go there.'),
  description: text('Words for your own use.').nullable(),
  status: z.enum(['enabled', 'disabled']).describe('Whether events go there.'),
  metadata: metadata(),
})

export const endpointSchema = component('WebhookEndpoint', () =>
  z
    .object(endpointFields())
    .describe('A receiver of events: each one that it wants is posted to it, signed.'),
)
export type EndpointShape = Shape<typeof endpointSchema>
export const endpointList = listOf(endpointSchema)
export const createdEndpointSchema = component('CreatedWebhookEndpoint', () =>
  z
    .object({
      ...endpointFields(),
      secret: text('With what its deliveries are signed; it is shown this once.'),
    })
    .describe('A webhook endpoint that was just made.'),
)
export const deletedEndpoint = deletedStub('DeletedWebhookEndpoint', 'webhook_endpoint')

const deliverySchema = component('WebhookDelivery', () =>
  z
    .object({
      ...common('webhook_delivery', 'whd'),
      event: text('The id of the event that is delivered.'),
      endpoint: reference('Where to.', 'WebhookEndpoint'),
      status: z
        .enum(['pending', 'succeeded', 'failed', 'discarded'])
        .describe('Whether it has been taken, is still tried, was given up, or is wanted no more.'),
      attempts: z
        .array(
          z.object({
            time: seconds("When, on the merchant's clock"),
            response_status: z.int().nullable().describe('What was answered; null for no answer.'),
            response_body: text('The beginning of the answer; null for none.').nullable(),
            error: text('Why there was no answer; null when there was one.').nullable(),
            duration_ms: z.int().describe('How long it took, in milliseconds.'),
          }),
        )
        .describe('What has been tried, the oldest first.'),
      next_attempt: seconds(
        "When it is tried again, on the merchant's clock; null when that is not planned",
      ).nullable(),
    })
    .describe('An event on its way to a webhook endpoint, with all attempts.'),
)
export type DeliveryShape = Shape<typeof deliverySchema>
export const deliveryList = listOf(deliverySchema)
