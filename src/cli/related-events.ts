import type { Client } from '../client/client.ts'
import { readEach } from '../client/read-each.ts'
import type { Event, TimelineEntry } from '../client/types.ts'
import { matchEventTypes } from '../core/event.ts'
import { wrongUsage } from './failure.ts'
import { findCustomer } from './find-customer.ts'

/** Selects the events of a subscription, or of a customer and all its objects. */
export type RelatedTo = { readonly subscription?: string | undefined; readonly customer?: string | undefined }

/** Whether the options select related events. @throws Failure 2 if both are given */
export function isRelated({ subscription, customer }: RelatedTo): boolean {
  if (subscription !== undefined && customer !== undefined)
    throw wrongUsage('Give only one of --subscription and --customer.')
  return subscription !== undefined || customer !== undefined
}

/**
 * Lists the events of an object and of its related objects, newest first, from its timeline of the newest 1,000 changes.
 * @param types - event types or globs; all if empty
 */
export async function relatedEvents(
  client: Client,
  { subscription, customer }: RelatedTo,
  types: readonly string[] = [],
): Promise<{ readonly entries: readonly TimelineEntry[]; readonly has_more: boolean }> {
  const { timeline } =
    subscription === undefined
      ? await client.customer(await customerOf(client, customer ?? ''))
      : await client.subscription(subscription)
  const wanted = new Set<string>(types.flatMap((type) => matchesOf(type)))
  const entries = timeline.happened.data
    .filter(({ type }) => types.length === 0 || wanted.has(type))
    .reverse()
  return { entries, has_more: timeline.happened.has_more }
}

/** Reads events by ID, in the given order. */
export const readEvents = (client: Client, ids: readonly string[]): Promise<Event[]> =>
  readEach(ids, (id) => client.event(id))

async function customerOf(client: Client, given: string): Promise<string> {
  const { data } = await client.merchants()
  return findCustomer(
    client,
    data.map(({ id }) => id),
    given,
  )
}

function matchesOf(type: string): readonly string[] {
  // The timeline has paytwin's own names.
  const found = matchEventTypes(ownEventType(type))
  if (found.length === 0) throw wrongUsage(`'${type}' matches no event type.`)
  return found
}

/** Converts a name or glob of Stripe's events to paytwin's own, for requests that know only those. Other names are the same. */
export const ownEventType = (type: string): string => type.replace(/^customer\.(?=subscription\b)/, '')
