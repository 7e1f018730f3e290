import { rateLimited } from '../core/errors.ts'
import { isTokenKey } from '../engine/access/oauth-token.ts'
import { runAfterAccepting } from '../engine/machine/arrivals.ts'
import { workBriefly } from '../engine/machine/gate.ts'
import type { Steps } from '../engine/machine/steps.ts'
import { TimeShares } from '../engine/machine/time-shares.ts'
import { OPERATOR } from '../engine/machine/turns.ts'
import { encoder, type Feed, FeedReader, type Reset } from './feed.ts'

const HEARTBEAT_MS = 15_000
const HEARTBEAT = encoder.encode(': heartbeat\n\n')
/** The number of bytes that a stream buffers for a reader that does not wait for them. */
const ROOM_BYTES = 65_536
/** paytwin: the number of streams that the keys of a merchant may have open at a time. */
export const MOST_STREAMS = 1_000
/** paytwin: the number of streams that all apps of a merchant may have open at a time. */
export const MOST_APP_STREAMS = 250

/** The header with the id of a state. See docs/contract/events-and-webhooks.md#event-streams. */
export const STATE_HEADER = 'Paytwin-State'

/** The message of a stream after the whole state was replaced. See docs/contract/snapshots.md#streams. */
const resetFrame = ({ newest, state }: Reset): string =>
  `event: reset\nid: ${newest}\ndata: ${JSON.stringify({ object: 'reset', livemode: false, state })}\n\n`

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
  /** In whose line it waits, and whose limit it counts against. */
  readonly owner: string
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  /** The place up to which items were sent. */
  place: number
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
 * and its buffer has room. Larger items are read when the reader waits for them, and the server counts them with the responses that
 * wait. So a slow reader uses no more memory, and misses no item that the feed still has. Streams are served in turns of their
 * owners, between which requests are served. Heartbeats and ends of streams come first, because they read nothing.
 * See docs/contract/events-and-webhooks.md#event-streams.
 */
export class LiveStreams {
  readonly #reportError: (error: unknown, doing: string) => void
  readonly #streams = new Set<Stream>()
  /** The streams to read for. */
  readonly #due: TimeShares<string, Stream>
  /** The streams that get a heartbeat, or have ended. */
  readonly #urgent = new Set<Stream>()
  /** Whether there may be new items since the last turn began. */
  #mayHaveNews = false
  #isScheduled = false
  #heartbeat: NodeJS.Timeout | undefined

  /** @param steps - measures the turns of merchants */
  constructor(reportError: (error: unknown, doing: string) => void, steps?: Steps) {
    this.#reportError = reportError
    this.#due = new TimeShares(pauserOf, steps)
  }

  /**
   * Opens a stream of the items after a place.
   * @throws ApiError rate_limit if the merchant's keys, or its apps, have too many; the operator has no limit
   */
  open(feed: Feed, { place, key, state, reset }: StreamOpening): Response {
    const owner = ownerOf(key, feed)
    if (key !== null) this.#checkRoom(owner, isTokenKey(key) ? MOST_APP_STREAMS : MOST_STREAMS)
    let stream: Stream
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const state = { isAwaited: false, isHeld: false, buffer: [], buffered: 0 }
          stream = { feed, key, owner, controller, place, ...state }
          this.#streams.add(stream)
          controller.enqueue(encoder.encode(`: connected\n\n${reset ? resetFrame(reset) : ''}`))
          this.#beat()
        },
        pull: () => {
          stream.isAwaited = true
          stream.isHeld = false
          this.#sendBuffered(stream)
          this.#due.add(owner, stream)
          this.#schedule()
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

  /** Ends the streams of an API key, or of all access tokens of a grant or an app. @param key - the id of an API key, or see tokenKey */
  closeOf(key: string): void {
    for (const stream of this.#streams) if (`${stream.key ?? ''} `.startsWith(`${key} `)) this.#end(stream)
  }

  /**
   * Continues all streams in a new state, after the whole state was replaced. Sends a reset message to each. Items that were
   * not sent yet are dropped.
   */
  restart(): void {
    for (const stream of this.#streams) {
      this.#endOnError(stream, () => {
        const reset = stream.feed.restart?.()
        if (reset === undefined || stream.feed.hasEnded?.()) return this.#end(stream)
        stream.place = stream.feed.newest()
        this.#send(stream, encoder.encode(resetFrame(reset)))
      })
    }
  }

  /**
   * Ends the streams of deleted merchants. In the other streams, new items take over the places of removed ones.
   * @param movePlace - returns where a place among the items of all merchants is now
   */
  prune(movePlace: (place: number) => number): void {
    for (const stream of this.#streams) {
      this.#endOnError(stream, () => {
        if (stream.feed.hasEnded?.()) this.#end(stream)
        else if (stream.feed.source() === null) stream.place = movePlace(stream.place)
      })
    }
  }

  /**
   * Serves the streams that have new items or have ended. Deferred to a later turn, so that responses go first and one turn
   * serves many items.
   */
  wake(): void {
    this.#mayHaveNews = true
    this.#schedule()
  }

  readonly #schedule = (): void => {
    if (this.#isScheduled || this.#streams.size === 0) return
    this.#isScheduled = true
    runAfterAccepting(() => {
      this.#isScheduled = false
      if (this.#serveBriefly()) this.#schedule()
    })
  }

  /** Serves streams for the time of a turn. @returns whether some are left */
  #serveBriefly(): boolean {
    const reader = new FeedReader()
    if (this.#mayHaveNews) this.#findDue(reader)
    if (workBriefly(() => this.#beatNext())) return true
    const serve = (stream: Stream) => this.#endOnError(stream, () => this.#serve(stream, reader))
    return this.#due.takeBriefly(serve, this.#schedule)
  }

  /** Looks only at the newest item of each source, because most streams have nothing new after a commit of one merchant. */
  #findDue(reader: FeedReader): void {
    this.#mayHaveNews = false
    for (const stream of this.#streams) {
      this.#endOnError(stream, () => {
        if (stream.feed.hasEnded?.()) this.#urgent.add(stream)
        else if (stream.place < reader.newest(stream.feed)) this.#due.add(stream.owner, stream)
      })
    }
  }

  /** Sends the next heartbeat, or ends its stream. @returns whether there are more */
  #beatNext(): boolean {
    const [stream] = this.#urgent
    if (!stream) return false
    this.#urgent.delete(stream)
    this.#endOnError(stream, () => {
      if (stream.feed.hasEnded?.()) this.#end(stream)
      else if (this.#hasRoom(stream)) this.#send(stream, HEARTBEAT)
    })
    return this.#urgent.size > 0
  }

  /** Sends the next chunk of a stream from its place, or ends it. Others are served before its next chunk. */
  #serve(stream: Stream, reader: FeedReader): void {
    if (stream.feed.hasEnded?.()) this.#end(stream)
    else if (this.#hasRoom(stream) && this.#sendNext(stream, reader)) this.#due.add(stream.owner, stream)
  }

  /** Runs work on a stream. If it fails, the error is reported and the stream ends; its reader can resume later. */
  #endOnError(stream: Stream, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#reportError(error, 'serving a stream of events')
      // Without the error, which the server would write to stderr and into the stream.
      this.#end(stream)
    }
  }

  /** Sends the next chunk, if there is one. @returns whether there may be more */
  #sendNext(stream: Stream, reader: FeedReader): boolean {
    if (stream.place >= reader.newest(stream.feed)) return false
    const { frames, next, mayHaveMore } = reader.after(stream.feed, stream.place)
    stream.isHeld = frames.byteLength > ROOM_BYTES && !stream.isAwaited
    if (stream.isHeld) return false
    stream.place = next
    if (frames.byteLength > 0) this.#send(stream, frames)
    return mayHaveMore
  }

  /** @throws ApiError rate_limit */
  #checkRoom(owner: string, most: number): void {
    let room = most
    for (const stream of this.#streams) if (stream.owner === owner) room -= 1
    if (room <= 0) throw rateLimited()
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

  /**
   * Sends comments that keep idle connections open, and ends streams that have expired as time passed. The timer runs while
   * there are streams.
   */
  #beat(): void {
    this.#heartbeat ??= setInterval(() => {
      for (const stream of this.#streams) this.#urgent.add(stream)
      this.#schedule()
    }, HEARTBEAT_MS).unref()
  }

  #end(stream: Stream): void {
    this.#drop(stream)
    for (const frames of stream.buffer.splice(0)) stream.controller.enqueue(frames)
    stream.controller.close()
  }

  #drop(stream: Stream): void {
    this.#streams.delete(stream)
    this.#due.delete(stream.owner, stream)
    this.#urgent.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }
}

/** Returns the owner that pauses after a long turn of a stream. */
const pauserOf = ({ key, feed }: Stream): object => (key === null ? undefined : feed.merchant?.()) ?? OPERATOR

/** Returns whose turns a stream takes: those of the operator, of the keys of a merchant, or of all its apps. */
const ownerOf = (key: string | null, { source }: Feed): string =>
  key === null ? 'operator' : `${isTokenKey(key) ? 'apps' : 'keys'} ${source()}`
