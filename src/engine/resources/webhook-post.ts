import { invalidStateTransition } from '../../core/errors.ts'
import type { EventType } from '../../core/kinds.ts'
import {
  DELIVERY_PREFIX,
  newDelivery,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '../../core/webhook.ts'
import type { AnyEvent } from '../history/view.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/**
 * Enqueues an event for each endpoint that receives its type, in the transaction that writes the event.
 * See docs/contract/events-and-webhooks.md#deliveries.
 */
export function enqueueDeliveries(
  unit: UnitOfWork,
  event: { type: EventType; number: number },
  created: number,
): void {
  for (const { id } of unit.merchant.endpoints.receiving(event.type)) {
    enqueueDelivery(unit, id, { id: unit.ids.of(unit.owner, 'evt', event.number), created })
  }
}

/** The maximum number of failed deliveries that are sent again together. */
const MAX_FAILED = 1_000

/**
 * Enqueues again the events of an endpoint's newest failed deliveries, each once. An event that was sent again in the meantime, and
 * did not fail, is left out.
 * @returns the new deliveries, in the order of the failed ones
 * @throws ApiError resource_missing; invalid_state_transition for a disabled endpoint
 * See docs/contract/events-and-webhooks.md#resending.
 */
export function resendFailed(unit: UnitOfWork, id: string): WebhookDelivery[] {
  const endpoint = unit.find('webhook_endpoint', id)
  checkEnabled(endpoint)
  const { deliveries } = unit.store
  const ofEndpoint = { field: 'endpoint', is: id }
  const failed = deliveries.list(unit.owner, [ofEndpoint, { field: 'status', isLiteral: 'failed' }], {
    limit: MAX_FAILED,
  })
  const events = [...new Set(failed.map(({ event }) => event))].reverse()
  return events
    .filter((event) => {
      const [newest] = deliveries.list(unit.owner, [{ field: 'event', is: event }, ofEndpoint], { limit: 1 })
      return newest?.status === 'failed'
    })
    .map((event) => enqueueDelivery(unit, id, { id: event, created: unit.now }))
}

function checkEnabled({ id, status }: WebhookEndpoint): void {
  if (status === 'disabled')
    throw invalidStateTransition(`The webhook endpoint '${id}' is disabled; enable it first`, null)
}

/** Enqueues an event for one endpoint. @param prefix - of the id of the delivery */
export function enqueueDelivery(
  unit: UnitOfWork,
  endpoint: string,
  { id: event, created }: { id: string; created: number },
  prefix = DELIVERY_PREFIX,
): WebhookDelivery {
  const delivery = newDelivery({ id: unit.newId(prefix), created, event, endpoint })
  unit.store.deliveries.insert(unit.owner, delivery)
  unit.announce(endpoint)
  return delivery
}

/**
 * Enqueues an event again, whatever the status of earlier deliveries: for the endpoints that receive its type, or for
 * one endpoint regardless of its types.
 * @throws ApiError resource_missing, param webhook_endpoint; invalid_state_transition for a disabled one
 * See docs/contract/events-and-webhooks.md#resending; paytwin: the choice of endpoints.
 */
export function resend(
  unit: UnitOfWork,
  { entry, id }: AnyEvent,
  named: string | undefined,
): WebhookDelivery[] {
  const event = { id, created: unit.now }
  if (named === undefined) {
    return unit.merchant.endpoints
      .receiving(entry.type)
      .map((endpoint) => enqueueDelivery(unit, endpoint.id, event))
  }
  const endpoint = unit.find('webhook_endpoint', named, 'webhook_endpoint')
  checkEnabled(endpoint)
  return [enqueueDelivery(unit, endpoint.id, event)]
}
