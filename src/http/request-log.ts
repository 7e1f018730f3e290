import { resourceMissing } from '../core/errors.ts'
import type { Feed } from './feed.ts'
import type { LiveStreams } from './live-streams.ts'
import { presentContent, type RequestContent, RequestContents } from './request-content.ts'
import type { RequestDetailsShape, RequestShape } from './schemas/request.ts'

/** paytwin: the number of requests that the log keeps. */
export const REQUESTS_KEPT = 1_000

/** A request to /v1 that was answered. */
export type RequestLogEntry = {
  readonly id: string
  /** The time of arrival in Unix milliseconds on the wall clock. */
  readonly time: number
  readonly method: string
  /** Path and query, without secrets. */
  readonly path: string
  readonly status: number
  readonly duration_ms: number
  /** The hint of its key; null if it had nothing that looks like a key. */
  readonly key: string | null
  /** null if the merchant is not known. */
  readonly merchant: string | null
  /** Whether the response is a replay for an idempotency key. */
  readonly replayed: boolean
  /** The error code of the response; null without an error. */
  readonly code: string | null
  /** The names of the ignored parameters, up to about 1 KiB. */
  readonly ignored: readonly string[]
}

/** Selects requests. */
export type RequestsWanted = {
  /** null for all requests, also those without a merchant. */
  readonly merchant: string | null
  /** Whether only requests with ignored parameters. */
  readonly onlyIgnored: boolean
  /** Only requests whose path contains this id, and the requests with other given ids. */
  readonly object?: string | undefined
  readonly alsoOf?: (() => ReadonlySet<string>) | undefined
}

type StreamOptions = {
  readonly after: { readonly id: string; readonly param: string } | undefined
  readonly present: (request: RequestLogEntry) => RequestShape
}

/**
 * Keeps the last requests to /v1 in memory, in the order of their responses. Requests are formatted only when they are read.
 * See docs/contract/operator.md#request-log.
 */
export class RequestLog {
  readonly #ring: RequestLogEntry[] = []
  readonly #contents = new RequestContents(REQUESTS_KEPT)
  readonly #streams: LiveStreams
  readonly #listeners = new Set<(request: RequestLogEntry) => void>()
  #count = 0

  constructor(streams: LiveStreams) {
    this.#streams = streams
  }

  add(request: RequestLogEntry, content: RequestContent): void {
    this.#ring[this.#count % REQUESTS_KEPT] = request
    this.#contents.add(content)
    this.#count += 1
    for (const listener of this.#listeners) listener(request)
    this.#streams.wake()
  }

  listen(listener: (request: RequestLogEntry) => void): void {
    this.#listeners.add(listener)
  }

  /** Lists requests, newest first. */
  list(wanted: RequestsWanted): RequestLogEntry[] {
    return this.#after(0, REQUESTS_KEPT, wanted)
      .map(({ request }) => request)
      .reverse()
  }

  /** Shows a request with its content. @throws ApiError resource_missing if the log does not have it */
  show(id: string): RequestDetailsShape {
    const { request, place } = this.#find(id, 'id')
    const content = this.#contents.get(place - 1)
    return { ...presentRequest(request), content: content === undefined ? null : presentContent(content) }
  }

  /**
   * Streams requests as they are answered. With `after`, begins after that request.
   * @param options.present - the same for all streams
   * @throws ApiError resource_missing if the log does not have that request
   */
  stream(wanted: RequestsWanted, { after, present }: StreamOptions): Response {
    const feed = this.#feedOf(wanted, present)
    const place = after ? this.#placeOf(after) : feed.newest()
    return this.#streams.open(feed, { place, key: null })
  }

  /** Ends all streams. */
  close(): void {
    this.#streams.close()
  }

  #feedOf(wanted: RequestsWanted, present: StreamOptions['present']): Feed {
    return {
      source: () => null,
      selection: `${wanted.merchant ?? ''} ${wanted.onlyIgnored} ${wanted.object ?? ''}`,
      newest: () => this.#count,
      after: (place, limit) =>
        this.#after(place, limit, wanted).map(({ place: at, request }) => ({
          place: at,
          event: 'request',
          id: request.id,
          data: () => present(request),
        })),
    }
  }

  /** Returns the requests after a place, oldest first. Places count from 1. */
  #after(place: number, limit: number, { merchant, onlyIgnored, object, alsoOf }: RequestsWanted) {
    const others = alsoOf?.()
    const found: { place: number; request: RequestLogEntry }[] = []
    const oldest = Math.max(place, this.#count - REQUESTS_KEPT)
    for (let at = oldest; at < this.#count && found.length < limit; at += 1) {
      const request = this.#ring[at % REQUESTS_KEPT]
      if (!request || (onlyIgnored && request.ignored.length === 0)) continue
      if (object !== undefined && !names(request, object) && !others?.has(request.id)) continue
      if (merchant === null || request.merchant === merchant) found.push({ place: at + 1, request })
    }
    return found
  }

  #placeOf({ id, param }: { id: string; param: string }): number {
    return this.#find(id, param).place
  }

  #find(id: string, param: string): { place: number; request: RequestLogEntry } {
    const found = this.#after(0, REQUESTS_KEPT, ALL).find(({ request }) => request.id === id)
    if (!found) throw resourceMissing('request', id, param)
    return found
  }
}

/** What separates the ids in a path and its query. */
const BETWEEN_IDS = /[/?&=]/

const names = ({ path }: RequestLogEntry, object: string): boolean =>
  path.includes(object) && path.split(BETWEEN_IDS).includes(object)

const ALL: RequestsWanted = { merchant: null, onlyIgnored: false }

export const presentRequest = ({
  id,
  time,
  method,
  path,
  status,
  duration_ms,
  key,
  merchant,
  replayed,
  code,
  ignored,
}: RequestLogEntry): RequestShape => ({
  id,
  object: 'request',
  time: Math.round(time),
  method,
  path,
  status,
  duration_ms: Math.round(duration_ms * 10) / 10,
  key,
  replayed,
  code,
  ignored_params: ignored,
  livemode: false,
  merchant_id: merchant,
})
