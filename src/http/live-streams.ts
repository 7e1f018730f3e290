import type { Json } from './json.ts'

const HEARTBEAT_MS = 15_000
/** The maximum number of items that are read at a time. */
const CHUNK = 50
/** The maximum number of characters of a chunk, unless it is one item. */
const CHUNK_LENGTH = 65_536
/** The number of bytes that a stream buffers for a reader that does not wait for them. */
const ROOM_BYTES = 65_536

/** The header with the id of a state. See docs/contract/events-and-webhooks.md#event-streams. */
export const STATE_HEADER = 'Paytwin-State'

/** Where a stream continues after the whole state was replaced. */
type Reset = {
  /** The id of the newest item of the new state; '' if there is none. */
  readonly newest: string
  /** The id of the new state. */
  readonly state: string | undefined
}

/** The message of a stream after the whole state was replaced. See docs/contract/snapshots.md#streams. */
const resetFrame = ({ newest, state }: Reset): string =>
  `event: reset\nid: ${newest}\ndata: ${JSON.stringify({ object: 'reset', livemode: false, state })}\n\n`

/** A message of a feed, and its place in the feed. */
type FeedItem = {
  readonly place: number
  readonly event: string
  readonly id: string
  readonly data: () => Json
}

/** A sequence of items that grows at its end. Streams read from it. */
export type Feed = {
  /** Feeds with the same name have the same items. */
  readonly name: () => string
  /** The place of the newest item; 0 if there is none. */
  readonly newest: () => number
  /** Returns items after a place, oldest first. Items that the feed filters out are skipped. No more items are read than needed. */
  readonly after: (place: number, limit: number) => Iterable<FeedItem>
  /**
   * Continues in the new state after the whole state was replaced.
   * @returns undefined if the feed does not exist in the new state
   */
  readonly restart?: () => Reset | undefined
  /** Whether the source of the feed was deleted. */
  readonly hasEnded?: () => boolean
  /** Whether its items are those of all merchants, whose places move when a merchant is deleted. */
  readonly isOfAll?: boolean
}

/** Items that were read from a feed after a place. */
type Chunk = {
  /** The encoded server-sent events; empty without items. */
  readonly frames: Uint8Array
  /** The place after which to read next. */
  readonly next: number
  readonly mayHaveMore: boolean
}

type StreamOpening = {
  /** The place after which the stream begins. */
  readonly place: number
  /** The caller's key; null for the operator. */
  readonly key: string | null
  /** The id of the state that the feed shows. */
  readonly state?: string | undefined
  /** The first message, for a reader that has followed another state. */
  readonly reset?: Reset | undefined
}

type Stream = {
  readonly feed: Feed
  /** The key that opened it; null for the operator. */
  readonly key: string | null
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  /** The place up to which items were sent. */
  place: number
  isServed: boolean
  /** Whether the reader waits for data. */
  isAwaited: boolean
  /** Whether the next item is so large that it is read again when the reader waits for it. */
  isHeld: boolean
  /** What the reader gets next, and its number of bytes. */
  readonly buffer: Uint8Array[]
  buffered: number
}

/**
 * Serves live streams of server-sent events. Each stream stores its place in its feed. It reads on when the feed has new items
 * and its buffer has room. Larger items are read when the reader waits for them, and the server counts them with the responses that wait.
 * So a slow reader uses no more memory, and misses no item that the feed still has.
 * See docs/contract/events-and-webhooks.md#event-streams.
 */
export class LiveStreams {
  readonly #reportError: (error: unknown, doing: string) => void
  readonly #streams = new Set<Stream>()
  readonly #encoder = new TextEncoder()
  /**
   * Chunks that were read in the current round, by feed and place. A thousand streams at the same place are read once. The
   * feeds cannot change within a round.
   */
  #round: Map<string, Chunk> | undefined
  #isScheduled = false
  #heartbeat: NodeJS.Timeout | undefined

  constructor(reportError: (error: unknown, doing: string) => void) {
    this.#reportError = reportError
  }

  /** Opens a stream of the items after a place. */
  open(feed: Feed, { place, key, state, reset }: StreamOpening): Response {
    let stream: Stream
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const state = { isServed: false, isAwaited: false, isHeld: false, buffer: [], buffered: 0 }
          stream = { feed, key, controller, place, ...state }
          this.#streams.add(stream)
          controller.enqueue(this.#encoder.encode(`: connected\n\n${reset ? resetFrame(reset) : ''}`))
          this.#beat()
        },
        pull: () => {
          stream.isAwaited = true
          stream.isHeld = false
          this.#sendBuffered(stream)
          this.#serve(stream)
        },
        cancel: () => this.#drop(stream),
      },
      { highWaterMark: 0 },
    )
    return new Response(body, {
      headers: {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
        ...(state !== undefined && { [STATE_HEADER]: state }),
      },
    })
  }

  /** Ends all streams. */
  close(): void {
    for (const stream of this.#streams) this.#end(stream)
  }

  /** Ends the streams of a revoked key. */
  closeOf(key: string): void {
    for (const stream of this.#streams) if (stream.key === key) this.#end(stream)
  }

  /**
   * Continues all streams in a new state, after the whole state was replaced. Sends a reset message to each. Items that were
   * not sent yet are dropped.
   */
  restart(): void {
    for (const stream of this.#streams) {
      this.#dropOnError(stream, () => {
        const reset = stream.feed.restart?.()
        if (reset === undefined) return this.#end(stream)
        stream.place = stream.feed.newest()
        this.#send(stream, this.#encoder.encode(resetFrame(reset)))
      })
    }
  }

  /**
   * Ends the streams of deleted merchants. In the other streams, new items take over the places of removed ones.
   * @param movePlace - returns where a place among the items of all merchants is now
   */
  prune(movePlace: (place: number) => number): void {
    for (const stream of this.#streams) {
      this.#dropOnError(stream, () => {
        if (stream.feed.hasEnded?.()) this.#end(stream)
        else if (stream.feed.isOfAll) stream.place = movePlace(stream.place)
      })
    }
  }

  /** Serves all streams after new items. Deferred with setImmediate, so that responses go first and one round serves many items. */
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

  /** Serves a stream from its place. Enqueueing can call it again while it runs, so it is guarded against reentry. */
  #serve(stream: Stream): void {
    if (stream.isServed) return
    stream.isServed = true
    this.#dropOnError(stream, () => {
      while (this.#hasRoom(stream) && this.#serveChunk(stream));
    })
    stream.isServed = false
  }

  /** Runs work on a stream. If it fails, the stream is closed with an error; its reader can resume later. */
  #dropOnError(stream: Stream, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#reportError(error, 'serving a stream of events')
      this.#drop(stream)
      stream.controller.error(error)
    }
  }

  /** Sends one chunk. @returns whether there may be more */
  #serveChunk(stream: Stream): boolean {
    const { frames, next, mayHaveMore } = this.#read(stream)
    stream.isHeld = frames.byteLength > ROOM_BYTES && !stream.isAwaited
    if (stream.isHeld) return false
    stream.place = next
    if (frames.byteLength > 0) this.#send(stream, frames)
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
    let text = ''
    let count = 0
    let last = place
    let isFull = false
    for (const item of feed.after(place, CHUNK)) {
      const frame = frameOf(item)
      isFull = count > 0 && text.length + frame.length > CHUNK_LENGTH
      if (isFull) break
      text += frame
      count += 1
      last = item.place
    }
    const frames = this.#encoder.encode(text)
    const mayHaveMore = isFull || count === CHUNK
    // Items up to the newest one that were filtered out need not be read again.
    return { frames, next: mayHaveMore ? last : Math.max(last, newest), mayHaveMore }
  }

  #hasRoom(stream: Stream): boolean {
    return this.#streams.has(stream) && !stream.isHeld && stream.buffered < ROOM_BYTES
  }

  #send(stream: Stream, frames: Uint8Array): void {
    stream.buffer.push(frames)
    stream.buffered += frames.byteLength
    if (stream.isAwaited) this.#sendBuffered(stream)
  }

  /** Passes the first chunk of the buffer to the reader, which waits for it. */
  #sendBuffered(stream: Stream): void {
    const frames = stream.buffer.shift()
    if (!frames) return
    stream.buffered -= frames.byteLength
    stream.isAwaited = false
    stream.controller.enqueue(frames)
  }

  /** Sends comments that keep idle connections open. The timer runs while there are streams. */
  #beat(): void {
    this.#heartbeat ??= setInterval(() => {
      for (const stream of this.#streams) {
        if (this.#hasRoom(stream)) this.#send(stream, this.#encoder.encode(': heartbeat\n\n'))
      }
    }, HEARTBEAT_MS).unref()
  }

  #end(stream: Stream): void {
    this.#drop(stream)
    for (const frames of stream.buffer.splice(0)) stream.controller.enqueue(frames)
    stream.controller.close()
  }

  #drop(stream: Stream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }
}

const frameOf = ({ event, id, data }: FeedItem): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data())}\n\n`
