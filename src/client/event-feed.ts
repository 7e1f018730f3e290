import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'
import { Refused, Unreachable } from './errors.ts'
import type { EventsWanted, StreamNews } from './event-stream.ts'
import type { Event } from './types.ts'

/** What happens to a feed: to its connection, or to the sandbox, whose history is another one after a reset or restore. */
export type FeedNews = StreamNews | 'reset'

/** Where to begin: after an event, or (null) with the first one there is. */
export type Beginning = EventsWanted & {
  readonly since: string | null
  /** Whether the daemon itself has told it: then both have been there, and what is missing at first has gone since. */
  readonly isTold: boolean
}

const PAUSE_MS = 500

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
  const { since: _, isTold, ...anew } = beginning
  let wanted: EventsWanted & { readonly since?: string | null } = beginning
  let wasThere = isTold
  let isAnew = false
  while (!signal.aborted) {
    try {
      yield* client.followEvents(wanted, {
        signal,
        onNews: (news) => {
          wasThere = true
          isAnew = false
          onNews(news)
        },
      })
    } catch (error) {
      if (error instanceof Unreachable && wasThere) {
        await delay(PAUSE_MS, undefined, { signal }).catch(() => undefined)
      } else if (isGone(error) && wasThere && !isAnew) {
        // An event that was there before can have gone; a refusal to begin anew is meant as it is said.
        isAnew = true
        wanted = anew
        onNews('reset')
      } else {
        throw error
      }
    }
  }
}

const isGone = (error: unknown): boolean => error instanceof Refused && error.code === 'resource_missing'

/** Begins with what happens from now on. */
export async function fromNowOn(client: Client, wanted: EventsWanted): Promise<Beginning> {
  const { data } = await client.events({ merchant: wanted.merchant, limit: 1 })
  return { ...wanted, since: data[0]?.id ?? null, isTold: true }
}
