import type { Engine } from '../engine/machine/engine.ts'
import type { EventGlob, EventHistory, EventsWanted, WaitOptions } from './api.ts'
import { withQuery } from './calls.ts'
import { refuseUnknown, requireText } from './options.ts'
import type { Event, EventType } from './resources.ts'

/** The merchant's API, and the engine, which reports commits. */
type Source = {
  get<ResponseBody>(path: string): Promise<ResponseBody>
  readonly engine: Pick<Engine, 'listen'>
}
type Page = { readonly data: readonly Event[]; readonly has_more: boolean }

const PAGE = 100
const DEFAULT_TIMEOUT_MS = 2_000
/**
 * The parts of a timeout. Concurrent calls can hold up the process for longer than the timeout. That counts as one part, so that events
 * of these calls are still found.
 */
const PARTS = 10
/** The longest time of a timer, in milliseconds. Node would end a longer one at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The number of recent events listed in the message of a timeout. */
const LISTED_EVENTS = 10

export function historyOf({ get, engine }: Source): EventHistory {
  const list = async (wanted: EventsWanted = {}): Promise<Event[]> => {
    refuseUnknown('events.list', wanted, { type: true, after: true })
    const { type, after } = wanted
    const types = type === undefined ? undefined : [type].flat()
    const since = after === undefined ? undefined : idOf(after)
    const found: Event[] = []
    for (let hasMore = true; hasMore; ) {
      // Pages forward from a known event, or backward from the newest.
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

  const waitFor = async (type: EventType | EventGlob, options: WaitOptions = {}): Promise<Event> => {
    refuseUnknown('events.waitFor', options, { after: true, where: true, timeout: true })
    requireText('The type of events.waitFor', type)
    const { after, where = () => true, timeout = DEFAULT_TIMEOUT_MS } = options
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
        if (!news.isReplaced() && (await next) === 'ended')
          throw new Error(await timeoutMessage(type, timeout, get))
        // The whole state was replaced: with the same seed, the last seen ID may belong to another event.
        if (news.takeReplaced()) seen = undefined
      }
    } finally {
      news.stop()
    }
  }
  return { list, waitFor: waitFor as EventHistory['waitFor'] }
}

/** Returns the ID of the event that is given as `after`. */
const idOf = (after: NonNullable<EventsWanted['after']>): string =>
  requireText("The event's ID in after", typeof after === 'object' ? after?.id : after)

/** Reports commits and replacements of the state until the timeout. */
function newsOf(engine: Source['engine'], timeoutMs: number) {
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
  let left = PARTS
  const partMs = Math.min(timeoutMs / PARTS, MAX_TIMER_MS)
  const endPart = () => {
    left -= 1
    if (left > 0) timer = setTimeout(endPart, partMs)
    else {
      isEnded = true
      wake()
    }
  }
  let timer = setTimeout(endPart, partMs)
  return {
    /** Resolves at the next commit, or at the timeout. */
    next: () =>
      new Promise<'news' | 'ended'>((resolve) => {
        wake = () => resolve(isEnded ? 'ended' : 'news')
        if (isEnded) wake()
      }),
    /** Whether the whole state was replaced since the last call of takeReplaced(). */
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

async function timeoutMessage(type: string, timeout: number, get: Source['get']): Promise<string> {
  const { data, has_more } = await get<Page>(withQuery('/v1/events', { limit: LISTED_EVENTS }))
  const recent = data.map((event) => event.type).reverse()
  const begin = has_more ? `The last ${LISTED_EVENTS} events` : 'Events'
  const events = recent.length === 0 ? 'There are no events.' : `${begin}: ${recent.join(', ')}.`
  return `No matching ${type} event within ${timeout} ms. ${events}`
}
