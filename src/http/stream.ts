import type { EventType } from '../core/event.ts'
import type { Engine } from '../engine/engine.ts'
import { eventsAfter, findEvent, listEvents, newestPlace, placeIn } from '../engine/events.ts'
import type { MerchantState } from '../engine/merchant.ts'
import type { RecalledEvent } from '../engine/view.ts'
import type { Json } from './json.ts'

const HEARTBEAT_MS = 15_000
/** How many events are read at a time for streams that lag behind. */
const CHUNK = 200
/** What a stream tells when the state was replaced. Source: operator.md, "Command line" (restore). */
const RESET = JSON.stringify({ object: 'reset', livemode: false })

type Wanted = {
  /** null for all merchants. */
  readonly merchant: MerchantState | null
  /** Empty for all. */
  readonly types: readonly EventType[]
  readonly after?: { readonly id: string; readonly param: string } | undefined
  /** The key that opened it; null for the operator. */
  readonly key: string | null
}

type Stream = {
  readonly wanted: Wanted
  /** Whose events it tells, as the merchant is known now; null for all. */
  merchant: MerchantState | null
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  /** Up to where it has been served: see eventsAfter. */
  place: number
  isServed: boolean
}

/**
 * Live streams of events (server-sent events). Each remembers its place in the journal and is served from there when
 * something was committed and when its reader takes more: so a slow reader costs no memory, and none misses an event.
 * Source: decisions.md 10, 13.
 */
export class EventStreams {
  readonly #engine: Engine
  readonly #present: (event: RecalledEvent) => Json
  readonly #reportError: (error: unknown, doing: string) => void
  readonly #streams = new Set<Stream>()
  readonly #encoder = new TextEncoder()
  readonly #stopListening: () => void
  #isScheduled = false
  #heartbeat: NodeJS.Timeout | undefined

  constructor(
    engine: Engine,
    present: (event: RecalledEvent) => Json,
    reportError: (error: unknown, doing: string) => void,
  ) {
    this.#engine = engine
    this.#present = present
    this.#reportError = reportError
    this.#stopListening = engine.listen({
      committed: () => this.#schedule(),
      replaced: () => this.#beginAnew(),
      deleted: (merchant) => this.#forget(merchant),
    })
  }

  /**
   * Opens a stream: new events only, or what came after an event that the caller saw.
   * @throws ApiError resource_missing for an unknown event
   */
  open(wanted: Wanted): Response {
    const { merchant, after } = wanted
    const place = after
      ? placeIn(merchant, findEvent(this.#engine, merchant, after.id, after.param))
      : newestPlace(this.#engine, merchant)
    let stream: Stream
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          stream = { wanted, merchant, controller, place, isServed: false }
          this.#streams.add(stream)
          controller.enqueue(this.#encoder.encode(': connected\n\n'))
          this.#beat()
        },
        pull: () => this.#serve(stream),
        cancel: () => this.#drop(stream),
      },
      { highWaterMark: 64 },
    )
    return new Response(body, {
      headers: {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      },
    })
  }

  /** Ends all streams. */
  close(): void {
    this.#stopListening()
    for (const stream of this.#streams) this.#end(stream)
  }

  /** Ends the streams that a key opened, when it is revoked. */
  closeOf(key: string): void {
    for (const stream of this.#streams) if (stream.wanted.key === key) this.#end(stream)
  }

  /**
   * Tells every stream that all it was told has given way to another state, of which it hears from now on. What it was still to
   * be told is gone. Its id is that of the newest event there is, for a reader that reconnects.
   */
  #beginAnew(): void {
    for (const stream of this.#streams) {
      stream.merchant = stream.merchant && this.#sameMerchant(stream.merchant)
      if (stream.wanted.merchant && !stream.merchant) {
        this.#end(stream)
        continue
      }
      stream.place = newestPlace(this.#engine, stream.merchant)
      const [newest] = listEvents(this.#engine, stream.merchant, { types: [], created: [] }, { limit: 1 })
      stream.controller.enqueue(
        this.#encoder.encode(`event: reset\nid: ${newest?.id ?? ''}\ndata: ${RESET}\n\n`),
      )
    }
  }

  /** A merchant as it is known now; null when it is gone, be it that another has its ordinal. */
  #sameMerchant({ settings }: MerchantState): MerchantState | null {
    const now = this.#engine.merchants.get(settings.ordinal)
    return now?.settings.birth === settings.birth ? now : null
  }

  /** Ends the streams of a merchant that was deleted. In those of all, what comes next takes the places that it leaves. */
  #forget(merchant: MerchantState): void {
    for (const stream of this.#streams) {
      if (stream.merchant === merchant) this.#end(stream)
      else if (!stream.merchant) stream.place = Math.min(stream.place, newestPlace(this.#engine, null))
    }
  }

  /** Serves all streams soon: after the answers of the commit, and once for several commits of one turn. */
  #schedule(): void {
    if (this.#isScheduled || this.#streams.size === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      for (const stream of this.#streams) this.#serve(stream)
    })
  }

  /** Serves a stream from its place on. Enqueueing may ask for more at once, while it is being served already. */
  #serve(stream: Stream): void {
    if (stream.isServed) return
    stream.isServed = true
    try {
      while (this.#hasRoom(stream) && this.#serveChunk(stream));
    } catch (error) {
      this.#reportError(error, 'serving a stream of events')
      this.#drop(stream)
      stream.controller.error(error)
    } finally {
      stream.isServed = false
    }
  }

  /** @returns whether there may be more */
  #serveChunk(stream: Stream): boolean {
    const { merchant, wanted } = stream
    const { types } = wanted
    const newest = newestPlace(this.#engine, merchant)
    const events = eventsAfter(this.#engine, merchant, { types, place: stream.place, limit: CHUNK })
    for (const event of events) {
      // A reader that is full is served again when it pulls, from where it stopped.
      if (!this.#hasRoom(stream)) return false
      stream.controller.enqueue(this.#frame(event))
      stream.place = placeIn(merchant, event)
    }
    if (events.length === CHUNK) return true
    // What lies before the newest and is not wanted need not be looked at again.
    stream.place = Math.max(stream.place, newest)
    return false
  }

  #hasRoom(stream: Stream): boolean {
    return this.#streams.has(stream) && (stream.controller.desiredSize ?? 0) > 0
  }

  #frame(event: RecalledEvent): Uint8Array {
    return this.#encoder.encode(
      `event: ${event.entry.type}\nid: ${event.id}\ndata: ${JSON.stringify(this.#present(event))}\n\n`,
    )
  }

  /** Comments that keep idle connections open; the timer lives while there are streams. */
  #beat(): void {
    this.#heartbeat ??= setInterval(() => {
      for (const stream of this.#streams) {
        if (this.#hasRoom(stream)) stream.controller.enqueue(this.#encoder.encode(': heartbeat\n\n'))
      }
    }, HEARTBEAT_MS).unref()
  }

  #end(stream: Stream): void {
    this.#drop(stream)
    stream.controller.close()
  }

  #drop(stream: Stream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }
}
