import type { Event, WebhookDelivery } from '../client/types.ts'
import type { OperatorApi } from '../http/dashboard/operator-api.ts'

/** Reads the types of the events of deliveries, by the IDs of the events. */
export async function eventTypesOf(
  api: OperatorApi,
  deliveries: readonly Pick<WebhookDelivery, 'event'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(deliveries.map(({ event }) => event))]
  const events = await Promise.all(ids.map((id) => api.get<Event>(`events/${encodeURIComponent(id)}`)))
  return new Map(events.map(({ id, type }) => [id, type]))
}
