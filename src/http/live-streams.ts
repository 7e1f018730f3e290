import type { Json } from './json.ts'

const HEARTBEAT_MS = 15_000
/** How much a stream holds ready for its reader, in bytes. */
const ROOM_BYTES = 65_536
/** How much is read at a time for streams that lag behind. */
const CHUNK = 50

/** What a stream tells when the state was replaced. See docs/contract/snapshots.md#streams. */
const RESET = JSON.stringify({ object: 'reset', livemode: false })

/** Something that a stream tells, and its place among what it tells. */
export type Told = {
  readonly place: number
  readonly event: string
  readonly id: string
  readonly data: () => Json
}

/** What a stream tells of: things in an order that grows at its end. */
export type Feed = {
  /** Feeds of one name tell the same. */
  readonly name: () => string
  /** The place of the newest; 0 when there is none. */
  readonly newest: () => number
  /** What comes after a place, oldest first, as far as it is told and at most so many. */
  readonly after: (place: number, limit: number) => readonly Told[]
  /**
   * Goes on in the state that has come in place of all that was told. @returns the id of the newest that this holds, or
   * nothing; undefined when there is nothing to go on with
   */
  readonly restart?: () => string | undefined
  /** Whether what it tells of is gone. */
  readonly hasEnded?: () => boolean
}

/** What was read of a feed after a place. */
type Chunk = {
  /** As it goes over the wire; empty when there is nothing. */
  readonly frames: Uint8Array
  /** From where to go on. */
  readonly next: number
  readonly mayHaveMore: boolean
}

type Stream = {
  readonly feed: Feed
  /** The key that opened it; null for the operator. */
  readonly key: string | null
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  /** Up to where it has been served. */
  place: number
  isServed: boolean
}

/**
 * Live streams of server-sent events. Each remembers its place in its feed and is served from there when there is news and
 * when its reader takes more: so a slow reader costs no memory, and misses nothing that its feed still knows.
 * See docs/contract/events-and-webhooks.md#event-streams.
 */
export class LiveStreams {
  readonly #reportError: (error: unknown, doing: string) => void
  readonly #streams = new Set<Stream>()
  readonly #encoder = new TextEncoder()
  /**
   * What was read in the round under way, by feed and place: a thousand readers who are all up to date cost one reading. Nothing
   * can change within a round.
   */
  #round: Map<string, Chunk> | undefined
  #isScheduled = false
  #heartbeat: NodeJS.Timeout | undefined

  constructor(reportError: (error: unknown, doing: string) => void) {
    this.#reportError = reportError
  }

  /** Opens a stream that tells what its feed has after a place. @param key - the key that asks; null for the operator */
  open(feed: Feed, { place, key }: { place: number; key: string | null }): Response {
    let stream: Stream
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          stream = { feed, key, controller, place, isServed: false }
          this.#streams.add(stream)
          controller.enqueue(this.#encoder.encode(': connected\n\n'))
          this.#beat()
        },
        pull: () => this.#serve(stream),
        cancel: () => this.#drop(stream),
      },
      { highWaterMark: ROOM_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
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
    for (const stream of this.#streams) this.#end(stream)
  }

  /** Ends the streams that a key opened, when it is revoked. */
  closeOf(key: string): void {
    for (const stream of this.#streams) if (stream.key === key) this.#end(stream)
  }

  /**
   * All that streams have told has given way to another state: each says so, and tells from now on of that. What was still to
   * be told is gone.
   */
  restart(): void {
    for (const stream of this.#streams) {
      this.#orBreak(stream, () => {
        const newest = stream.feed.restart?.()
        if (newest === undefined) return this.#end(stream)
        stream.place = stream.feed.newest()
        stream.controller.enqueue(this.#encoder.encode(`event: reset\nid: ${newest}\ndata: ${RESET}\n\n`))
      })
    }
  }

  /** Ends the streams of what is gone; in the others what comes next takes the places that it leaves. */
  prune(): void {
    for (const stream of this.#streams) {
      this.#orBreak(stream, () => {
        if (stream.feed.hasEnded?.()) this.#end(stream)
        else stream.place = Math.min(stream.place, stream.feed.newest())
      })
    }
  }

  /** There is news: serves all streams soon, after the answers under way, and once for all news of one turn. */
  wake(): void {
    if (this.#isScheduled || this.#streams.size === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#round = new Map()
      for (const stream of this.#streams) this.#serve(stream)
      this.#round = undefined
    })
  }

  /** Serves a stream from its place on. Enqueueing may ask for more at once, while it is being served already. */
  #serve(stream: Stream): void {
    if (stream.isServed) return
    stream.isServed = true
    this.#orBreak(stream, () => {
      while (this.#hasRoom(stream) && this.#serveChunk(stream));
    })
    stream.isServed = false
  }

  /** Works on a stream. One that fails is broken off; its reader can come again and miss nothing. */
  #orBreak(stream: Stream, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#reportError(error, 'serving a stream of events')
      this.#drop(stream)
      stream.controller.error(error)
    }
  }

  /** @returns whether there may be more */
  #serveChunk(stream: Stream): boolean {
    const { frames, next, mayHaveMore } = this.#read(stream)
    stream.place = next
    // A reader takes all that was read for it at once: what it had no room for would have to be read again.
    if (frames.byteLength > 0) stream.controller.enqueue(frames)
    return mayHaveMore
  }

  #read({ feed, place }: Stream): Chunk {
    if (!this.#round) return this.#readFrom(feed, place)
    const name = `${place} ${feed.name()}`
    const chunk = this.#round.get(name) ?? this.#readFrom(feed, place)
    this.#round.set(name, chunk)
    return chunk
  }

  #readFrom(feed: Feed, place: number): Chunk {
    const newest = feed.newest()
    const news = feed.after(place, CHUNK)
    const frames = this.#encoder.encode(news.map(frameOf).join(''))
    const last = news.at(-1)?.place ?? place
    if (news.length === CHUNK) return { frames, next: last, mayHaveMore: true }
    // What lies before the newest and is not wanted need not be looked at again.
    return { frames, next: Math.max(last, newest), mayHaveMore: false }
  }

  #hasRoom(stream: Stream): boolean {
    return this.#streams.has(stream) && (stream.controller.desiredSize ?? 0) > 0
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

const frameOf = ({ event, id, data }: Told): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data())}\n\n`
