import type { Client } from '../client/client.ts'
import { Refused, Unreachable } from '../client/errors.ts'
import { readEach } from '../client/read-each.ts'
import type { WebhookEndpoint } from '../client/types.ts'
import type { Delivery } from './delivery.ts'
import { realTiming } from './frame-loop.ts'
import { Poller } from './poller.ts'

const IDLE_MS = 2_000
/** The number of newest deliveries to read for each endpoint. */
const LIMIT = 100
/** The pause after a poll, as a multiple of the poll's duration. With many endpoints, polls take longer. */
const PAUSE_PER_READING = 10
/** The maximum number of event types in the cache. */
const MAX_TYPES = 5_000

type Source = Pick<Client, 'merchants' | 'webhooks' | 'webhookDeliveries' | 'event'>

/** Polls webhook deliveries, once it is started. */
export function watchDeliveries(
  client: Source,
  merchant: string | undefined,
  {
    signal,
    onDeliveries,
    failed,
  }: {
    readonly signal: AbortSignal
    readonly onDeliveries: (deliveries: readonly Delivery[]) => void
    /** An internal error. */
    readonly failed: (error: unknown) => void
  },
): Pick<Poller<unknown>, 'poll' | 'pollSoon' | 'stop'> {
  const types = new Map<string, string>()
  return new Poller({
    read: async () => {
      const begun = realTiming.now()
      const deliveries = await readDeliveries(client, merchant, types)
      return { deliveries, duration_ms: realTiming.now() - begun }
    },
    receive: ({ deliveries, duration_ms }) => {
      if (deliveries) onDeliveries(deliveries)
      return Math.max(IDLE_MS, PAUSE_PER_READING * duration_ms)
    },
    signal,
    failed,
  })
}

/**
 * Reads the newest deliveries of all endpoints, oldest first; undefined if the daemon does not answer, which the stream of
 * events reports.
 * @param types - a cache of event types by ID, to which new types are added
 */
export async function readDeliveries(
  client: Source,
  merchant: string | undefined,
  types: Map<string, string>,
): Promise<readonly Delivery[] | undefined> {
  try {
    const merchants =
      merchant === undefined ? (await client.merchants()).data.map(({ id }) => id) : [merchant]
    const found: Omit<Delivery, 'event_type'>[] = []
    for (const id of merchants) {
      const { data: endpoints } = await client.webhooks({ merchant: id, limit: LIMIT })
      for (const endpoint of endpoints) found.push(...(await deliveriesTo(client, endpoint)))
    }
    await readTypes(client, found, types)
    return found
      .map((delivery) => ({ ...delivery, event_type: types.get(delivery.event) ?? delivery.event }))
      .toSorted((one, other) => one.created - other.created || (one.id < other.id ? -1 : 1))
  } catch (error) {
    if (error instanceof Refused || error instanceof Unreachable) return undefined
    throw error
  }
}

async function deliveriesTo(
  client: Source,
  { id, url }: WebhookEndpoint,
): Promise<Omit<Delivery, 'event_type'>[]> {
  const { data } = await client.webhookDeliveries(id, { limit: LIMIT })
  return data.map((delivery) => ({ ...delivery, endpoint_url: url }))
}

/** Reads the types of events, which deliveries do not contain. The type of an event that is gone stays unknown. */
async function readTypes(
  client: Source,
  deliveries: readonly { readonly event: string }[],
  types: Map<string, string>,
): Promise<void> {
  const unknown = [...new Set(deliveries.map(({ event }) => event))].filter((id) => !types.has(id))
  await readEach(unknown, async (id) => types.set(id, await typeOf(client, id)))
  for (const id of types.keys()) {
    if (types.size <= MAX_TYPES) break
    types.delete(id)
  }
}

async function typeOf(client: Source, id: string): Promise<string> {
  try {
    return (await client.event(id)).type
  } catch (error) {
    if (error instanceof Refused && error.code === 'resource_missing') return id
    throw error
  }
}
