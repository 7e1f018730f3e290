import type { Client } from './client.ts'
import { Refused } from './errors.ts'
import type { EventsWanted, StreamNews } from './event-stream.ts'
import type { Event } from './types.ts'

/** What happens to a feed: to its connection, or to the sandbox, whose history is another one after a reset or restore. */
export type FeedNews = StreamNews | 'reset'

/** Where to begin: after an event, or (null) with the first one there is. */
export type Beginning = EventsWanted & { readonly since: string | null }

/**
 * Events as they happen, for as long as somebody watches: also past a reset or restore of the sandbox. Where that took away
 * the last event that was given, it goes on with what happens from then on.
 * @throws Refused, Unreachable: as followEvents
 */
export async function* eventFeed(
  client: Client,
  beginning: Beginning,
  { signal, onNews }: { readonly signal: AbortSignal; readonly onNews: (news: FeedNews) => void },
): AsyncGenerator<Event, void, undefined> {
  let wanted: EventsWanted & { readonly since?: string | null } = beginning
  for (let isConnected = false; !signal.aborted; ) {
    try {
      yield* client.followEvents(wanted, {
        signal,
        onNews: (news) => {
          isConnected = true
          onNews(news)
        },
      })
    } catch (error) {
      // Only an event that was there before can have gone; a second refusal is meant as it is said.
      if (!isConnected || !(error instanceof Refused) || error.code !== 'resource_missing') throw error
      isConnected = false
      const { since: _, ...rest } = beginning
      wanted = rest
      onNews('reset')
    }
  }
}

/** The newest event's id; null where nothing has happened yet. */
export async function newestEvent(client: Client, merchant: string | undefined): Promise<string | null> {
  const { data } = await client.events({ merchant, limit: 1 })
  return data[0]?.id ?? null
}
