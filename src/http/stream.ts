import type { AnyEventType } from '../core/kinds.ts'
import { anyEventsAfter, idAt, newestPlace, placeIn, placeOfEvent } from '../engine/history/any-events.ts'
import { placeAt } from '../engine/history/events.ts'
import { type AnyEvent, readLengthOf } from '../engine/history/view.ts'
import type { Engine } from '../engine/machine/engine.ts'
import { refusesExpired } from '../engine/machine/live-clocks.ts'
import { type MerchantState, merchantOfGeneration } from '../engine/machine/merchant-state.ts'
import { stateMark } from '../engine/machine/state-mark.ts'
import type { Feed } from './feed.ts'
import type { Json } from './json.ts'
import { LiveStreams } from './live-streams.ts'

type StreamOptions = {
  /** null for all merchants. */
  readonly merchant: MerchantState | null
  /** Empty for all. */
  readonly types: readonly AnyEventType[]
  readonly after?: { readonly id: string; readonly param: string } | undefined
  /** The id of the state that the reader has followed, if it has followed one. */
  readonly state?: string | undefined
  /** The caller's key; null for the operator. */
  readonly key: string | null
  /** When the caller's credentials expire, in Unix seconds on the merchant's clock. */
  readonly expires?: number | undefined
  /** Presents the events in a named form instead of the default one. */
  readonly present?: (event: AnyEvent) => Json
  readonly form?: string
}

/**
 * Serves live streams of the events in the journal. No event is missed.
 * See docs/contract/events-and-webhooks.md#event-streams.
 */
export class EventStreams {
  readonly #engine: Engine
  readonly #present: (event: AnyEvent) => Json
  readonly #streams: LiveStreams
  readonly #stopListening: () => void

  constructor(
    engine: Engine,
    present: (event: AnyEvent) => Json,
    reportError: (error: unknown, doing: string) => void,
  ) {
    this.#engine = engine
    this.#present = present
    this.#streams = new LiveStreams(reportError, engine.steps)
    this.#stopListening = engine.listen({
      committed: () => this.#streams.wake(),
      replaced: () => this.#streams.restart(),
      deleted: (_, movePlace) => this.#streams.prune(movePlace),
    })
  }

  /**
   * Opens a stream of new events. With `after`, begins after that event. For a reader that has followed another state, it
   * begins with a reset message and the events since the current state began.
   * @throws ApiError resource_missing for an unknown event, rate_limit if the merchant has too many streams
   */
  open(options: StreamOptions): Response {
    const { merchant, after, key } = options
    const feed = this.#feedOf(options)
    const mark = stateMark(this.#engine.store)
    const state = mark?.id
    if (mark && options.state !== undefined && options.state !== state) {
      const place = placeAt(this.#engine, merchant, mark.head)
      const newest = idAt(this.#engine, merchant, place)
      return this.#streams.open(feed, { place, key, state, reset: { newest, state } })
    }
    const place = after ? placeOfEvent(this.#engine, merchant, after) : feed.newest()
    return this.#streams.open(feed, { place, key, state })
  }

  /** Ends all streams. */
  close(): void {
    this.#stopListening()
    this.#streams.close()
  }

  /** Ends the streams of an API key, or of all access tokens of a grant or an app. @param key - the id of an API key, or see tokenKey */
  closeOf(key: string): void {
    this.#streams.closeOf(key)
  }

  #feedOf({
    merchant: requested,
    types,
    expires = Number.POSITIVE_INFINITY,
    present = this.#present,
    form = '',
  }: StreamOptions): Feed {
    const engine = this.#engine
    let merchant = requested
    return {
      source: () => merchant?.settings.ordinal ?? null,
      merchant: () => merchant,
      selection: `${form} ${types.join(' ')}`,
      newest: () => newestPlace(engine, merchant),
      after: function* (place, limit) {
        for (const event of anyEventsAfter(engine, merchant, { types, place, limit })) {
          const { entry, id } = event
          const place = placeIn(merchant, entry)
          const readLength = () => readLengthOf(event)
          yield { place, event: entry.type, id, data: () => present(event), readLength }
        }
      },
      restart: () => {
        if (merchant) {
          const { ordinal, generation } = merchant.settings
          merchant = merchantOfGeneration(engine.merchants, { merchant: ordinal, generation }) ?? null
        }
        if (requested && !merchant) return undefined
        const newest = idAt(engine, merchant, newestPlace(engine, merchant))
        return { newest, state: stateMark(engine.store)?.id }
      },
      hasEnded: () =>
        merchant !== null && (merchant.presence === 'deleted' || refusesExpired(engine, merchant, expires)),
    }
  }
}

/** Returns whether the Accept header requests server-sent events. */
export const wantsStream = (accept: string | undefined): boolean =>
  accept?.includes('text/event-stream') ?? false
