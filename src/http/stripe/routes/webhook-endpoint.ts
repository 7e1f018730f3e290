import type Stripe from 'stripe'
import * as z from 'zod'
import { STRIPE_API_VERSIONS } from '../../../core/api-version.ts'
import { parameterInvalid } from '../../../core/errors.ts'
import {
  createEndpoint,
  deleteEndpoint,
  secretOf,
  updateEndpoint,
} from '../../../engine/resources/webhook-endpoint.ts'
import { deferred } from '../../deferred.ts'
import { metadata, optionalText } from '../../fields.ts'
import { pageParams } from '../../pagination.ts'
import { retrieve } from '../../resource.ts'
import type { HttpServices } from '../../services.ts'
import { MAX_URL_LENGTH } from '../../webhook-endpoint.ts'
import type { StripeApi } from '../api.ts'
import { only } from '../only.ts'
import { presentEndpoint } from '../present/webhook.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'
import { namedTypes } from './event.ts'

const endpoint = returning<Wire<Stripe.WebhookEndpoint>>('webhook_endpoint')
const url = deferred(() => z.string().min(1).max(MAX_URL_LENGTH))
const enabledEvents = deferred(() => z.array(z.string().max(100)).min(1).max(300))
const described = { description: optionalText, metadata }
const createParams = deferred(() =>
  z.object({
    url: url(),
    enabled_events: enabledEvents(),
    api_version: z.enum(STRIPE_API_VERSIONS).optional(),
    connect: only(false),
    ...described,
  }),
)
const updateParams = deferred(() =>
  z.object({
    url: url().optional(),
    enabled_events: enabledEvents().optional(),
    disabled: z.boolean().optional(),
    ...described,
  }),
)

export function webhookEndpointRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/webhook_endpoints',
      summary: 'Creates a webhook endpoint. Its secret is shown only in this response.',
      params: createParams,
      returns: endpoint,
    },
    ({ unit, view, services, params }) => {
      checkUrl(services, params.url)
      const made = createEndpoint(unit, { ...params, enabled_events: storedEvents(params.enabled_events) })
      return { ...presentEndpoint(view, made), secret: secretOf(view.ids, made) }
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/webhook_endpoints',
      summary: 'Lists webhook endpoints.',
      params: deferred(() => z.object(pageParams)),
      returns: returningList<Wire<Stripe.WebhookEndpoint>>('webhook_endpoint'),
    },
    (call) => listKind(call, 'webhook_endpoint', [{ field: 'deleted', is: 0 }], presentEndpoint),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/webhook_endpoints/:id',
      summary: 'Retrieves a webhook endpoint.',
      returns: endpoint,
    },
    ({ view, id }) => presentEndpoint(view, retrieve(view, 'webhook_endpoint', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/webhook_endpoints/:id',
      summary: 'Updates a webhook endpoint, or disables or enables it.',
      params: updateParams,
      returns: endpoint,
    },
    ({ unit, view, services, params: { enabled_events, ...params }, id }) => {
      if (params.url !== undefined) checkUrl(services, params.url)
      const events = enabled_events && { enabled_events: storedEvents(enabled_events) }
      return presentEndpoint(view, updateEndpoint(unit, id, { ...params, ...events }))
    },
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/webhook_endpoints/:id',
      summary: 'Deletes a webhook endpoint.',
      returns: returning<Wire<Stripe.DeletedWebhookEndpoint>>('deleted_webhook_endpoint'),
    },
    ({ unit, id }) => ({
      id: deleteEndpoint(unit, id).id,
      object: 'webhook_endpoint' as const,
      deleted: true as const,
    }),
  )
}

/** Refuses a URL to which webhooks cannot be sent. @throws ApiError parameter_invalid, param url */
function checkUrl({ receiverRefusal }: HttpServices, given: string): void {
  const why = receiverRefusal(given)
  if (why !== undefined) throw parameterInvalid('url', why)
}

/** Returns the types of events to store: paytwin's own names. @throws ApiError parameter_invalid for an unknown name */
const storedEvents = (given: readonly string[]): string[] =>
  given.flatMap((name, index) => (name === '*' ? ['*'] : namedTypes(name, `enabled_events[${index}]`)))
