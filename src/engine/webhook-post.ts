import { invalidStateTransition } from '../core/errors.ts'
import type { EventType } from '../core/event.ts'
import { newDelivery, type WebhookDelivery } from '../core/webhook.ts'
import type { Unit } from './unit.ts'
import type { RecalledEvent } from './view.ts'

/**
 * Puts an event into the outbox of each endpoint that wants it, in the transaction that writes the event.
 * See docs/contract/events-and-webhooks.md#deliveries.
 */
export function post(unit: Unit, event: { type: EventType; number: number }, created: number): void {
  for (const { id } of unit.merchant.endpoints.wanting(event.type)) {
    postTo(unit, id, { id: unit.ids.of(unit.owner, 'evt', event.number), created })
  }
}

/** Puts an event into the outbox of one endpoint. */
function postTo(
  unit: Unit,
  endpoint: string,
  { id: event, created }: { id: string; created: number },
): WebhookDelivery {
  const delivery = newDelivery({ id: unit.idFor('webhook_delivery'), created, event, endpoint })
  unit.store.objects.insert('webhook_delivery', unit.owner, delivery)
  unit.announce(endpoint)
  return delivery
}

/**
 * Posts an event again, whatever has become of it before: to the endpoints that want it, or to one whether it wants it or
 * not.
 * @throws ApiError resource_missing, param webhook_endpoint; invalid_state_transition for a disabled one
 * See docs/contract/events-and-webhooks.md#resending; paytwin: to whom.
 */
export function resend(
  unit: Unit,
  { entry, id }: RecalledEvent,
  named: string | undefined,
): WebhookDelivery[] {
  const event = { id, created: unit.now }
  if (named === undefined) {
    return unit.merchant.endpoints.wanting(entry.type).map((endpoint) => postTo(unit, endpoint.id, event))
  }
  const endpoint = unit.find('webhook_endpoint', named, 'webhook_endpoint')
  if (endpoint.status === 'disabled') {
    throw invalidStateTransition(`The webhook endpoint '${named}' is disabled: enable it first`, null)
  }
  return [postTo(unit, endpoint.id, event)]
}
