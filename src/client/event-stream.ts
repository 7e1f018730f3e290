import type { IncomingMessage } from 'node:http'
import { Refused } from './errors.ts'
import { type FollowedDaemon, type Following, messages, reconnecting } from './live.ts'
import { type Address, open } from './transport.ts'
import type { Event, List } from './types.ts'

export type { StreamStatus as StreamNews } from './live.ts'

/** Selects the events of a list or a stream. */
export type EventFilter = {
  readonly merchant?: string | undefined
  /** Names or globs; empty for all. */
  readonly types?: readonly string[] | undefined
}

/** The message of a stream after the whole state was replaced. */
type Reset = { readonly object: 'reset'; readonly state?: string | undefined }
/** An item of a stream: an event, or a replaced state with its id and the id of its newest event. */
type StreamItem =
  | { readonly event: Event }
  | { readonly newest: string | undefined; readonly state: string | undefined }

/** The header with the id of the state that a stream shows, or has shown. */
const STATE_HEADER = 'paytwin-state'

/** The position of a client in a stream: the last event, and the id of the state. */
type Position = { readonly last: string | undefined; readonly state: string | undefined }

/** Where a stream begins. */
export type StreamStart = EventFilter & {
  /** The event after which the stream begins. null: with the first event. undefined: with the next new event. */
  readonly since?: string | null | undefined
  /**
   * Whether the daemon returned `since` itself. If it does not know the event later, the event was removed in the meantime.
   */
  readonly isConfirmed?: boolean | undefined
}

/** A daemon, and its list of events, newest first. */
export type EventSource = FollowedDaemon & {
  events(page: EventFilter & { limit: number; starting_after?: string | undefined }): Promise<List<Event>>
}

const PAGE = 100

/**
 * Streams events as they are emitted. Reconnects when the connection breaks, and continues after the last event that it
 * yielded. No event is lost or repeated, however long the daemon was unreachable.
 * @throws Refused if the daemon refuses the stream, such as for an unknown event
 * @throws Unreachable if the first connection fails; later ones are retried until the signal is aborted
 * See docs/contract/events-and-webhooks.md#event-streams.
 */
export async function* followEvents(
  source: EventSource,
  { since, isConfirmed = false, ...wanted }: StreamStart,
  following: Following,
): AsyncGenerator<Event, void, undefined> {
  let last = since === undefined ? await newestId(source, wanted) : (since ?? undefined)
  let state: string | undefined
  /** Whether the daemon no longer has the last event, because the state was replaced during a disconnection. */
  let isLastGone = false
  const open = async (signal: AbortSignal) => {
    if (isLastGone) last = await newestId(source, wanted)
    const response = await connect(source.address, wanted, { last, state }, signal)
    const wasLastGone = isLastGone
    isLastGone = false
    const before = { last, state }
    state = stateOf(response)
    return wasLastGone
      ? afterReset(source, wanted, before, response)
      : afterLast(source, wanted, before, response)
  }
  const shouldRetry = (error: unknown) => {
    if (isLastGone || !isMissing(error)) return false
    isLastGone = true
    return true
  }
  for await (const item of reconnecting(source, open, following, { shouldRetry, wasReached: isConfirmed })) {
    if ('event' in item) {
      last = item.event.id
      yield item.event
    } else {
      last = item.newest
      state = item.state
      following.onStatus?.('reset')
    }
  }
}

/** Whether the daemon does not have the event after which the stream should continue. */
const isMissing = (error: unknown): boolean => error instanceof Refused && error.code === 'resource_missing'

/** Builds the query of a request for events. */
export function eventQuery({ merchant, types = [] }: EventFilter): URLSearchParams {
  // Events as the API of their merchant shows them.
  const query = new URLSearchParams({ form: 'merchant' })
  if (merchant !== undefined) query.set('merchant', merchant)
  for (const type of types) query.append('types[]', type)
  return query
}

/** Returns the id of the newest event; undefined if there is none. */
async function newestId(source: EventSource, { merchant }: EventFilter): Promise<string | undefined> {
  const { data } = await source.events({ merchant, limit: 1 })
  return data[0]?.id
}

function connect(
  address: Address,
  wanted: EventFilter,
  { last, state }: Position,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return open(address, {
    method: 'GET',
    path: `/_paytwin/events?${eventQuery(wanted)}`,
    headers: {
      accept: 'text/event-stream',
      ...(last === undefined ? {} : { 'last-event-id': last }),
      ...(state === undefined ? {} : { [STATE_HEADER]: state }),
    },
    signal,
  })
}

/** Returns the id of the state that a stream shows; undefined from an older daemon. */
const stateOf = ({ headers }: IncomingMessage): string | undefined => headers[STATE_HEADER]?.toString()

/**
 * Yields the events after the last one. Without a last event there were no events when the stream began. Then all events are
 * new, and those from before this connection are read from the list. After a reset message, the stream itself sends all events
 * of the new state.
 */
async function* afterLast(
  source: EventSource,
  wanted: EventFilter,
  { last, state }: Position,
  response: IncomingMessage,
): AsyncGenerator<StreamItem, void, undefined> {
  const isSameState = state === undefined || state === stateOf(response)
  const missed = last === undefined && isSameState ? await allEvents(source, wanted) : []
  for (const event of missed) yield { event }
  const known = new Set(missed.map(({ id }) => id))
  for await (const { id, message } of messages<Event | Reset>(source.address, response, 'event', 'reset')) {
    if (message.object === 'reset') {
      // With the same seed, the new state can contain the same ids again.
      known.clear()
      yield { newest: id, state: message.state }
    } else if (!known.has(message.id)) yield { event: message }
  }
}

/** Reports the replaced state first, then continues as afterLast does. */
async function* afterReset(
  ...given: Parameters<typeof afterLast>
): AsyncGenerator<StreamItem, void, undefined> {
  yield { newest: given[2].last, state: stateOf(given[3]) }
  yield* afterLast(...given)
}

/** Reads all events, oldest first. */
async function allEvents(source: EventSource, wanted: EventFilter): Promise<Event[]> {
  const events: Event[] = []
  for (let hasMore = true; hasMore; ) {
    const page = await source.events({ ...wanted, limit: PAGE, starting_after: events.at(-1)?.id })
    events.push(...page.data)
    hasMore = page.has_more
  }
  return events.reverse()
}

/** Returns the position after the newest event, for a stream of new events only. */
export async function positionAfterNewest(
  source: Pick<EventSource, 'events'>,
  wanted: EventFilter,
): Promise<StreamStart> {
  const { data } = await source.events({ merchant: wanted.merchant, limit: 1 })
  return { ...wanted, since: data[0]?.id ?? null, isConfirmed: true }
}
