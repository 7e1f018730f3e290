import type { IncomingMessage } from 'node:http'
import { Refused } from './errors.ts'
import { type Following, messages, reconnecting } from './live.ts'
import { type Address, open } from './transport.ts'
import type { Event, List } from './types.ts'

export type { StreamNews } from './live.ts'

/** Of which events a list or a stream is made. */
export type EventsWanted = {
  readonly merchant?: string | undefined
  /** Names or globs; none for all. */
  readonly types?: readonly string[] | undefined
}

/** That the state was replaced. */
type Reset = { readonly object: 'reset' }
/** What a stream tells: an event, or that the state was replaced, with the newest event that there is then. */
type News = { readonly event: Event } | { readonly newest: string | undefined }

/** Where events begin. */
export type Beginning = EventsWanted & {
  /** After this event; null for the first one there is, undefined for those from now on. */
  readonly since?: string | null | undefined
  /** Whether the daemon itself has told it: then both have been there, and what is missing at first has gone since. */
  readonly isTold?: boolean | undefined
}

/** A daemon as streams need it: where it is, and a page of its events, newest first. */
export type EventSource = {
  readonly address: Address
  list(page: EventsWanted & { limit: number; starting_after?: string | undefined }): Promise<List<Event>>
}

const PAGE = 100

/**
 * Events as they happen. When the connection breaks it is made again and goes on right after the last event that was
 * given: none is lost or repeated, however long the daemon was away.
 * @throws Refused, when the daemon refuses the stream, such as for an unknown event
 * @throws Unreachable, when no daemon answers at first; later attempts are repeated until the signal ends them
 * See docs/contract/events-and-webhooks.md#event-streams.
 */
export async function* followEvents(
  source: EventSource,
  { since, isTold = false, ...wanted }: Beginning,
  following: Following,
): AsyncGenerator<Event, void, undefined> {
  let last = since === undefined ? await newestId(source, wanted) : (since ?? undefined)
  /** Whether the last event is there no more: the state was replaced while nobody listened. */
  let isAstray = false
  const open = async (signal: AbortSignal) => {
    if (isAstray) last = await newestId(source, wanted)
    const response = await connect(source.address, wanted, last, signal)
    const wasAstray = isAstray
    isAstray = false
    return wasAstray ? afterReset(source, wanted, last, response) : afterLast(source, wanted, last, response)
  }
  const goAstray = (error: unknown) => {
    if (isAstray || !isGone(error)) return false
    isAstray = true
    return true
  }
  for await (const news of reconnecting(open, following, { isPassing: goAstray, wasThere: isTold })) {
    if ('event' in news) {
      last = news.event.id
      yield news.event
    } else {
      last = news.newest
      following.onNews?.('reset')
    }
  }
}

/** Whether the event after which a stream was to go on is there no more. */
const isGone = (error: unknown): boolean => error instanceof Refused && error.code === 'resource_missing'

/** The query that asks for events. */
export function eventQuery({ merchant, types = [] }: EventsWanted): URLSearchParams {
  const query = new URLSearchParams()
  if (merchant !== undefined) query.set('merchant', merchant)
  for (const type of types) query.append('types[]', type)
  return query
}

/** undefined when nothing has happened yet. */
async function newestId(source: EventSource, { merchant }: EventsWanted): Promise<string | undefined> {
  const { data } = await source.list({ merchant, limit: 1 })
  return data[0]?.id
}

function connect(
  address: Address,
  wanted: EventsWanted,
  last: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return open(address, {
    method: 'GET',
    path: `/_paytwin/events?${eventQuery(wanted)}`,
    headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
    signal,
  })
}

/**
 * The events after the last one. Where there was none, nothing had happened when the stream was first asked for: then
 * every event is news, and those from before this connection are read from the list.
 */
async function* afterLast(
  source: EventSource,
  wanted: EventsWanted,
  last: string | undefined,
  response: IncomingMessage,
): AsyncGenerator<News, void, undefined> {
  const missed = last === undefined ? await allEvents(source, wanted) : []
  for (const event of missed) yield { event }
  const known = new Set(missed.map(({ id }) => id))
  for await (const { id, message } of messages<Event | Reset>(source.address, response, 'event', 'reset')) {
    if (message.object === 'reset') {
      // From the same seed the new state makes the same ids again.
      known.clear()
      yield { newest: id }
    } else if (!known.has(message.id)) yield { event: message }
  }
}

/** The same where the state was replaced while nobody listened. */
async function* afterReset(...given: Parameters<typeof afterLast>): AsyncGenerator<News, void, undefined> {
  yield { newest: given[2] }
  yield* afterLast(...given)
}

/** Every event there is, oldest first. */
async function allEvents(source: EventSource, wanted: EventsWanted): Promise<Event[]> {
  const events: Event[] = []
  for (let hasMore = true; hasMore; ) {
    const page = await source.list({ ...wanted, limit: PAGE, starting_after: events.at(-1)?.id })
    events.push(...page.data)
    hasMore = page.has_more
  }
  return events.reverse()
}

/** Begins with what happens from now on, as it is known now. */
export async function fromNowOn(source: Pick<EventSource, 'list'>, wanted: EventsWanted): Promise<Beginning> {
  const { data } = await source.list({ merchant: wanted.merchant, limit: 1 })
  return { ...wanted, since: data[0]?.id ?? null, isTold: true }
}
