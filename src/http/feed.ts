import { MAX_PAGE_LENGTH } from '../core/json-text.ts'
import type { Json } from './json.ts'

/** The maximum number of items that are read at a time. */
const CHUNK = 50
/** The maximum number of characters of a chunk, unless it is one item. */
const CHUNK_LENGTH = 65_536

/** Encodes the messages of streams. */
export const encoder = new TextEncoder()

/** Where a stream continues after the whole state was replaced. */
export type Reset = {
  /** The id of the newest item of the new state; '' if there is none. */
  readonly newest: string
  /** The id of the new state. */
  readonly state: string | undefined
}

/** A message of a feed, and its place in the feed. */
type FeedItem = {
  readonly place: number
  readonly event: string
  readonly id: string
  readonly data: () => Json
  /** Returns the length of all that was read up to the item since `Feed.after`, if more may be read than is shown. */
  readonly readLength?: () => number
}

/** A sequence of items that grows at its end. Streams read from it. */
export type Feed = {
  /** The ordinal of the merchant whose items it selects from; null for all. Feeds with the same source have the same places. */
  readonly source: () => number | null
  /** The merchant itself. It is another object after a restore. */
  readonly merchant?: () => object | null
  /** How it selects and presents its items. Feeds with the same source and selection have the same items. */
  readonly selection: string
  /** The place of the newest item of the source; 0 if there is none. */
  readonly newest: () => number
  /** Returns items after a place, oldest first. Items that the feed filters out are skipped. No more items are read than needed. */
  readonly after: (place: number, limit: number) => Iterable<FeedItem>
  /**
   * Continues in the new state after the whole state was replaced.
   * @returns undefined if the feed does not exist in the new state
   */
  readonly restart?: () => Reset | undefined
  /** Whether its source was deleted, or its reader's credentials have expired. Called often, so it must not read the database. */
  readonly hasEnded?: () => boolean
}

/** Items that were read from a feed after a place. */
type Chunk = {
  /** The encoded server-sent events; empty without items. */
  readonly frames: Uint8Array
  /** The place after which to read next. */
  readonly next: number
  readonly mayHaveMore: boolean
}

/** Reads feeds during one turn of the event loop, in which they cannot change. A thousand streams at the same place are read once. */
export class FeedReader {
  readonly #newest = new Map<number | null, number>()
  readonly #chunks = new Map<string, Chunk>()

  /** Returns the place of the newest item of the feed's source. */
  newest(feed: Feed): number {
    const source = feed.source()
    const newest = this.#newest.get(source) ?? feed.newest()
    this.#newest.set(source, newest)
    return newest
  }

  /** Returns the next items after a place. */
  after(feed: Feed, place: number): Chunk {
    const name = `${place} ${feed.source()} ${feed.selection}`
    const chunk = this.#chunks.get(name) ?? this.#read(feed, place)
    this.#chunks.set(name, chunk)
    return chunk
  }

  #read(feed: Feed, place: number): Chunk {
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
      isFull = (item.readLength?.() ?? 0) > MAX_PAGE_LENGTH
      if (isFull) break
    }
    const frames = encoder.encode(text)
    const mayHaveMore = isFull || count === CHUNK
    // Items up to the newest one that were filtered out need not be read again.
    return { frames, next: mayHaveMore ? last : Math.max(last, this.newest(feed)), mayHaveMore }
  }
}

const frameOf = ({ event, id, data }: FeedItem): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data())}\n\n`
