import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { Refused, Unreachable } from './errors.ts'
import { type Address, open, unreachable } from './transport.ts'
import type { Event, List } from './types.ts'

/** Of which events a list or a stream is made. */
export type EventsWanted = {
  readonly merchant?: string | undefined
  /** Names or globs; none for all. */
  readonly types?: readonly string[] | undefined
}

/**
 * What happens to a stream: to its connection or, with `reset`, to all that it has told: it gave way to another state, by a
 * restore or a reset, and what follows happens in that.
 */
export type StreamNews = 'connected' | 'lost' | 'reconnected' | 'reset'

/** That the state was replaced, and which event is the newest one in the new state, if there is any. */
type Reset = { readonly object: 'reset'; readonly newest: string | undefined }

/** A daemon as streams need it: where it is, and a page of its events, newest first. */
export type EventSource = {
  readonly address: Address
  list(page: EventsWanted & { limit: number; starting_after?: string | undefined }): Promise<List<Event>>
}

/** The daemon sends a heartbeat every 15 s: one that is silent for this long is gone. */
const SILENCE_MS = 45_000
const PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000
const PAGE = 100

/**
 * Events as they happen. When the connection breaks it is made again and goes on right after the last event that was
 * given: none is lost or repeated, however long the daemon was away.
 * @param wanted.since - begins after this event; without it, with the events from now on
 * @throws Refused, when the daemon refuses the stream, such as for an unknown event
 * @throws Unreachable, when no daemon answers at first; later attempts are repeated until the signal ends them
 * Source: decisions.md 10, 13 (SSE).
 */
export async function* followEvents(
  source: EventSource,
  { since, ...wanted }: EventsWanted & { readonly since?: string | undefined },
  { signal, onNews = () => undefined }: { signal: AbortSignal; onNews?: (news: StreamNews) => void },
): AsyncGenerator<Event, void, undefined> {
  let last = since ?? (await newestId(source, wanted))
  let isFirst = true
  let isOpen = false
  /** Whether the last event is there no more: the state was replaced while nobody listened. */
  let isAstray = false
  for (let pause = PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      if (isAstray) last = await newestId(source, wanted)
      const response = await connect(source.address, wanted, last, signal)
      onNews(isFirst ? 'connected' : 'reconnected')
      if (isAstray) onNews('reset')
      isAstray = false
      isFirst = false
      isOpen = true
      pause = PAUSE_MS
      for await (const message of afterLast(source, wanted, last, response)) {
        if (message.object === 'reset') {
          last = message.newest
          onNews('reset')
        } else {
          last = message.id
          yield message
        }
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isFirst && !isAstray && isGone(error)) isAstray = true
      else if (isFirst || !(error instanceof Unreachable)) throw error
    }
    if (isOpen) onNews('lost')
    isOpen = false
    await delay(pause, undefined, { signal }).catch(() => undefined)
  }
}

/** Whether the event after which a stream was to go on is there no more. */
const isGone = (error: unknown): boolean => error instanceof Refused && error.status === 404

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
): AsyncGenerator<Event | Reset, void, undefined> {
  const missed = last === undefined ? await allEvents(source, wanted) : []
  yield* missed
  const known = new Set(missed.map(({ id }) => id))
  for await (const message of messages(source.address, response)) {
    // From the same seed the new state makes the same ids again.
    if (message.object === 'reset') known.clear()
    if (message.object === 'reset' || !known.has(message.id)) yield message
  }
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

async function* messages(
  address: Address,
  response: IncomingMessage,
): AsyncGenerator<Event | Reset, void, undefined> {
  let arrived: (Event | Reset)[] = []
  const parser = createParser({
    onEvent: ({ data, id }) => {
      const message: Event | Omit<Reset, 'newest'> = JSON.parse(data)
      if (message.object === 'event') arrived.push(message)
      if (message.object === 'reset') arrived.push({ object: 'reset', newest: id || undefined })
    },
  })
  const decoder = new TextDecoder()
  response.setTimeout(SILENCE_MS, () => response.destroy(new Error('no heartbeat')))
  try {
    for await (const chunk of response) {
      parser.feed(decoder.decode(chunk, { stream: true }))
      const messages = arrived
      arrived = []
      yield* messages
    }
  } catch (error) {
    throw unreachable(address.url, error)
  }
}
