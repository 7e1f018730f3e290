import type { EventType } from '../core/event.ts'
import type { Engine } from '../engine/engine.ts'
import { eventsAfter, findEvent, newestPlace } from '../engine/events.ts'
import type { MerchantState } from '../engine/merchant.ts'
import type { RecalledEvent } from '../engine/view.ts'
import type { Json } from './json.ts'

const HEARTBEAT_MS = 15_000
/** How many events are read at a time for streams that lag behind. */
const CHUNK = 200

type Wanted = {
  /** null for all merchants. */
  readonly merchant: MerchantState | null
  /** Empty for all. */
  readonly types: readonly EventType[]
  readonly after?: { readonly id: string; readonly param: string } | undefined
}

type Stream = {
  readonly wanted: Wanted
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  /** The journal seq up to which it has been served. */
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
  readonly #streams = new Set<Stream>()
  readonly #encoder = new TextEncoder()
  readonly #stopListening: () => void
  #isScheduled = false
  #heartbeat: NodeJS.Timeout | undefined

  constructor(engine: Engine, present: (event: RecalledEvent) => Json) {
    this.#engine = engine
    this.#present = present
    this.#stopListening = engine.listen({ committed: () => this.#schedule() })
  }

  /**
   * Opens a stream: new events only, or what came after an event that the caller saw.
   * @throws ApiError resource_missing for an unknown event
   */
  open(wanted: Wanted): Response {
    const { merchant, after } = wanted
    const place = after
      ? findEvent(this.#engine, merchant, after.id, after.param).entry.seq
      : newestPlace(this.#engine)
    let stream: Stream
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          stream = { wanted, controller, place, isServed: false }
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

  close(): void {
    this.#stopListening()
    for (const stream of this.#streams) {
      this.#drop(stream)
      stream.controller.close()
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
    while (this.#hasRoom(stream)) {
      const events = eventsAfter(this.#engine, stream.place, CHUNK)
      if (events.length === 0) break
      for (const event of events) {
        // A reader that is full is served again when it pulls, from where it stopped.
        if (!this.#hasRoom(stream)) break
        if (isWanted(stream.wanted, event)) stream.controller.enqueue(this.#frame(event))
        stream.place = event.entry.seq
      }
    }
    stream.isServed = false
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
      for (const { controller } of this.#streams) controller.enqueue(this.#encoder.encode(': heartbeat\n\n'))
    }, HEARTBEAT_MS).unref()
  }

  #drop(stream: Stream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }
}

const isWanted = ({ merchant, types }: Wanted, { entry }: RecalledEvent): boolean =>
  (merchant === null || merchant.settings.ordinal === entry.merchant) &&
  (types.length === 0 || types.includes(entry.type))
