import * as z from 'zod'
import { type ApiError, parameterInvalid } from '../core/errors.ts'
import { matchEventTypes } from '../core/event.ts'
import type { WebhookDelivery, WebhookEndpoint } from '../core/webhook.ts'
import { findEvent } from '../engine/history/events.ts'
import type { View } from '../engine/history/view.ts'
import {
  createEndpoint,
  deleteEndpoint,
  secretOf,
  updateEndpoint,
} from '../engine/resources/webhook-endpoint.ts'
import { resend } from '../engine/resources/webhook-post.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { eventPattern, typeUnknown } from './event-types.ts'
import { metadata, optionalText, reference } from './fields.ts'
import { equals, list, listDeliveries, listObjects, pageParams } from './pagination.ts'
import { common, deletedStub, type Resource, retrieve } from './resource.ts'
import {
  createdEndpointSchema,
  type DeliveryShape,
  deletedEndpoint,
  deliveryList,
  type EndpointShape,
  endpointList,
  endpointSchema,
} from './schemas/webhook.ts'
import type { HttpServices } from './services.ts'
import { ShownObject } from './shown-object.ts'

export const MAX_URL_LENGTH = 2_048
const url = deferred(() => z.string().min(1).max(MAX_URL_LENGTH))
const enabledEvents = deferred(() => z.array(eventPattern()).min(1).max(100))
const described = { description: optionalText, metadata }
export const createEndpointParams = deferred(() =>
  z.object({ url: url(), enabled_events: enabledEvents(), ...described }),
)
const updateParams = deferred(() =>
  z.object({
    url: url().optional(),
    enabled_events: enabledEvents().optional(),
    disabled: z.boolean().optional(),
    ...described,
  }),
)
export const resendParams = deferred(() => z.object({ webhook_endpoint: reference.optional() }))
const endpointListParams = deferred(() => z.object(pageParams))

function webhookEndpointRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/webhook_endpoints',
      summary: 'Creates a webhook endpoint for future events. Its secret is shown only in this response.',
      params: createEndpointParams,
      status: 201,
      returns: createdEndpointSchema,
    },
    ({ unit, view, services, params }) => {
      checkEndpoint(services, params)
      return presentCreatedEndpoint(view, createEndpoint(unit, params))
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/webhook_endpoints',
      summary: 'Lists webhook endpoints, newest first.',
      params: endpointListParams,
      returns: endpointList,
    },
    (call) => listObjects(call, 'webhook_endpoint', [{ field: 'deleted', is: 0 }], presentEndpoint),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/webhook_endpoints/:id',
      summary: 'Retrieves a webhook endpoint.',
      returns: endpointSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'webhook_endpoint', id), presentEndpoint),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/webhook_endpoints/:id',
      summary: 'Updates the given fields of a webhook endpoint, or disables or enables it.',
      params: updateParams,
      returns: endpointSchema,
    },
    ({ unit, view, services, params, id }) => {
      checkEndpoint(services, params)
      return presentEndpoint(view, updateEndpoint(unit, id, params))
    },
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/webhook_endpoints/:id',
      summary: 'Deletes a webhook endpoint and discards its pending deliveries.',
      returns: deletedEndpoint,
    },
    ({ unit, id }) => deletedStub('webhook_endpoint', deleteEndpoint(unit, id).id),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/webhook_endpoints/:id/deliveries',
      summary: 'Lists the deliveries of a webhook endpoint, newest first, with their attempts.',
      params: endpointListParams,
      returns: deliveryList,
    },
    (call) => {
      const { id } = retrieve(call.view, 'webhook_endpoint', call.id)
      return listDeliveries(call, equals('endpoint', id), (delivery) => presentDelivery(call.view, delivery))
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/events/:id/resend',
      summary: 'Sends an event again to the webhook endpoints that match it, or to one endpoint.',
      params: resendParams,
      returns: deliveryList,
      errors: { 400: ['invalid_state_transition'], 404: ['resource_missing'] },
    },
    ({ c, unit, view, services, merchant, params, id }) => {
      const event = findEvent(services.engine, merchant, id)
      const sent = resend(unit, event, params.webhook_endpoint)
      return list(
        c.req.path,
        sent.map((delivery) => presentDelivery(view, delivery)),
      )
    },
  )
}

/**
 * Checks that webhooks can be sent to a url, and that each glob matches an event type.
 * @throws ApiError parameter_invalid, param url or enabled_events[…]
 * See docs/contract/events-and-webhooks.md#addresses.
 */
export function checkEndpoint(services: ReceiverRules, given: ReceiverParams): void {
  const [mistake] = endpointMistakes(services, given)
  if (mistake) throw mistake()
}

/** The service that decides to which urls webhooks may be sent. */
export type ReceiverRules = Pick<HttpServices, 'receiverRefusal'>
type ReceiverParams = { url?: string | undefined; enabled_events?: readonly string[] | undefined }

/** Finds all mistakes that checkEndpoint refuses. Returns functions, because searching for suggestions takes time. */
export function endpointMistakes(
  { receiverRefusal }: ReceiverRules,
  given: ReceiverParams,
): (() => ApiError)[] {
  const why = given.url === undefined ? undefined : receiverRefusal(given.url)
  const unknown = [...(given.enabled_events ?? []).entries()].filter(
    ([, pattern]) => matchEventTypes(pattern).length === 0,
  )
  return [
    ...(why === undefined ? [] : [() => parameterInvalid('url', why)]),
    ...unknown.map(
      ([index, pattern]) =>
        () =>
          typeUnknown(pattern, `enabled_events[${index}]`),
    ),
  ]
}

export const presentEndpoint = (view: View, endpoint: WebhookEndpoint): EndpointShape => ({
  ...common(view, 'webhook_endpoint', endpoint),
  url: endpoint.url,
  enabled_events: [...endpoint.enabled_events],
  description: endpoint.description,
  status: endpoint.status,
  metadata: endpoint.metadata,
})

/** Presents a new endpoint, the only time with its secret. */
export const presentCreatedEndpoint = (view: View, endpoint: WebhookEndpoint) => ({
  ...presentEndpoint(view, endpoint),
  secret: secretOf(view.ids, endpoint),
})

export const presentDelivery = (view: View, delivery: WebhookDelivery): DeliveryShape => ({
  ...common(view, 'webhook_delivery', delivery),
  event: delivery.event,
  endpoint: delivery.endpoint,
  status: delivery.status,
  attempts: delivery.attempts.map((attempt) => ({ ...attempt })),
  next_attempt: delivery.next_attempt,
})

export const webhookEndpointResource: Resource<'webhook_endpoint'> = {
  collection: 'webhook_endpoints',
  present: presentEndpoint,
  routes: webhookEndpointRoutes,
  params: {
    disabled: 'true stops the delivery of events; false resumes it.',
  },
}
