import { Change } from '../../core/change.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { type EndedAttempt, GONE, type WebhookEndpoint } from '../../core/webhook.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { discardQueued, recordDeliveryAttempt } from './webhook-delivery.ts'

/** undefined leaves a field unchanged. */
export type EndpointParams = {
  url?: string | undefined
  enabled_events?: readonly string[] | undefined
  api_version?: string | undefined
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
  disabled?: boolean | undefined
}

/** paytwin: more than needed in practice, and few enough that each event can check all of them. */
const MAX_ENDPOINTS = 50
const SECRET_LENGTH = 32
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Creates an endpoint, which receives later events.
 * @throws ApiError parameter_invalid, param url, beyond the maximum number of endpoints
 * See docs/contract/events-and-webhooks.md#webhook-endpoints.
 */
export function createEndpoint(
  unit: UnitOfWork,
  {
    url,
    enabled_events,
    api_version,
    description,
    metadata,
  }: EndpointParams & { url: string; enabled_events: readonly string[] },
): WebhookEndpoint {
  const present = [{ field: 'deleted', is: 0 }]
  const all = unit.store.objects.list('webhook_endpoint', unit.owner, present, { limit: MAX_ENDPOINTS })
  if (all.length >= MAX_ENDPOINTS) {
    throw parameterInvalid('url', `A merchant can have at most ${MAX_ENDPOINTS} webhook endpoints`)
  }
  const change = new Change()
  const endpoint = change.create('webhook_endpoint', {
    id: unit.idFor('webhook_endpoint'),
    created: unit.now,
    url,
    enabled_events,
    api_version: api_version ?? null,
    description: description ?? null,
    metadata: mergeMetadata({}, metadata),
    status: 'enabled',
    deleted: false,
  })
  write(unit, change)
  return endpoint
}

/** Updates an endpoint. @throws ApiError resource_missing */
export function updateEndpoint(unit: UnitOfWork, id: string, params: EndpointParams): WebhookEndpoint {
  const { url, enabled_events, description, metadata, disabled } = params
  const before = unit.find('webhook_endpoint', id)
  const after: WebhookEndpoint = {
    ...before,
    ...(url !== undefined && { url }),
    ...(enabled_events !== undefined && { enabled_events }),
    ...(description !== undefined && { description }),
    ...(disabled !== undefined && { status: disabled ? 'disabled' : 'enabled' }),
    metadata: mergeMetadata(before.metadata, metadata),
  }
  return replace(unit, before, after)
}

/** Deletes an endpoint. @throws ApiError resource_missing */
export const deleteEndpoint = (unit: UnitOfWork, id: string): WebhookEndpoint => {
  const before = unit.find('webhook_endpoint', id)
  // What is being sent to it is aborted after the commit.
  unit.announce(id)
  return replace(unit, before, { ...before, status: 'disabled', deleted: true })
}

/**
 * Records a delivery attempt. A 410 disables the endpoint if it came from its current URL. If the delivery no longer exists, because
 * of a reset or a deleted merchant, nothing is recorded.
 * See docs/contract/events-and-webhooks.md#delivery-status.
 */
export function recordAttempt(unit: UnitOfWork, id: string, ended: EndedAttempt): void {
  const delivery = unit.store.deliveries.get(unit.owner, id)
  if (!delivery) return
  const { url, ...attempt } = ended
  const endpoint =
    attempt.response_status === GONE ? unit.need('webhook_endpoint', delivery.endpoint) : undefined
  const isGone = endpoint !== undefined && endpoint.url === url
  recordDeliveryAttempt(unit, delivery, attempt, { isGone })
  if (isGone && !endpoint.deleted) replace(unit, endpoint, { ...endpoint, status: 'disabled' })
}

/** Returns the secret that signs deliveries. It is derived from the seed and not stored. */
export const secretOf = (ids: UnitOfWork['ids'], { id }: Pick<WebhookEndpoint, 'id'>): string =>
  `whsec_${ids.derived(`webhook secret ${id}`, SECRET_LENGTH, BASE64)}`

/** Writes an endpoint, and discards its pending deliveries if it is not enabled. */
function replace(unit: UnitOfWork, before: WebhookEndpoint, after: WebhookEndpoint): WebhookEndpoint {
  const change = new Change()
  change.update('webhook_endpoint', before, () => after)
  write(unit, change)
  if (after.status === 'disabled') discardQueued(unit, after.id)
  return after
}

/** Writes an endpoint, and makes the enabled endpoints be read again, also after a rollback. */
function write(unit: UnitOfWork, change: Change): void {
  const { endpoints: enabled } = unit.merchant
  unit.onRollback(() => enabled.forget())
  apply(unit, change)
  enabled.forget()
}
