import type { Engine } from '../engine/engine.ts'
import type { EventGlob, EventHistory, EventsWanted, WaitOptions } from './api.ts'
import { withQuery } from './calls.ts'
import type { Event, EventType } from './resources.ts'

/** What a history needs: the merchant's API, and who tells of commits. */
type Told = {
  get<Answer>(path: string): Promise<Answer>
  readonly engine: Pick<Engine, 'listen'>
}
type Page = { readonly data: readonly Event[]; readonly has_more: boolean }

const PAGE = 100
const PATIENCE_MS = 2_000
/** How many of the events that did happen are told to whom waits in vain for another. */
const TOLD = 10

export function historyOf({ get, engine }: Told): EventHistory {
  const list = async ({ type, after }: EventsWanted = {}): Promise<Event[]> => {
    const types = type === undefined ? undefined : [type].flat()
    const since = typeof after === 'object' ? after.id : after
    const found: Event[] = []
    for (let hasMore = true; hasMore; ) {
      // From a known event onward, or back from the newest: each page is the next one in that direction.
      const cursor =
        since === undefined
          ? { starting_after: found.at(0)?.id }
          : { ending_before: found.at(-1)?.id ?? since }
      const page = await get<Page>(withQuery('/v1/events', { limit: PAGE, types, ...cursor }))
      const inOrder = page.data.toReversed()
      if (since === undefined) found.unshift(...inOrder)
      else found.push(...inOrder)
      hasMore = page.has_more
    }
    return found
  }

  const waitFor = async (
    type: EventType | EventGlob,
    { after, where = () => true, timeout = PATIENCE_MS }: WaitOptions = {},
  ): Promise<Event> => {
    const news = newsOf(engine, timeout)
    let seen = after
    try {
      for (;;) {
        const next = news.next()
        const events = await list({ type, after: seen }).catch((error: unknown) => {
          if (news.isReplaced()) return []
          throw error
        })
        const found = events.find(where)
        if (found) return found
        seen = events.at(-1) ?? seen
        if (!news.isReplaced() && (await next) === 'ended') throw new Error(await inVain(type, timeout, list))
        // What was seen is gone with the rest; from the same seed its id may be another event's.
        if (news.takeReplaced()) seen = undefined
      }
    } finally {
      news.stop()
    }
  }
  return { list, waitFor: waitFor as EventHistory['waitFor'] }
}

/** What happens to a sandbox from now on, until patience is at an end. */
function newsOf(engine: Told['engine'], patienceMs: number) {
  let isReplaced = false
  let isEnded = false
  let wake = () => {}
  const stopListening = engine.listen({
    committed: () => wake(),
    replaced: () => {
      isReplaced = true
      wake()
    },
  })
  const timer = setTimeout(() => {
    isEnded = true
    wake()
  }, patienceMs)
  return {
    /** Resolves at the next news. */
    next: () =>
      new Promise<'news' | 'ended'>((resolve) => {
        wake = () => resolve(isEnded ? 'ended' : 'news')
        if (isEnded) wake()
      }),
    /** Whether all that there was has given way to another state, since that was last taken note of. */
    isReplaced: () => isReplaced,
    takeReplaced: () => {
      const was = isReplaced
      isReplaced = false
      return was
    },
    stop: () => {
      clearTimeout(timer)
      stopListening()
    },
  }
}

async function inVain(
  type: string,
  timeout: number,
  list: (wanted?: EventsWanted) => Promise<readonly Event[]>,
): Promise<string> {
  const types = (await list()).map((event) => event.type)
  const told = types.slice(-TOLD).join(', ')
  const happened =
    types.length === 0
      ? 'Nothing has happened at all.'
      : `What happened${types.length > TOLD ? ` last, of ${types.length} events` : ''}: ${told}.`
  return `No ${type} that would do within ${timeout} ms. ${happened}`
}
