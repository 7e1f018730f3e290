import type { RawBuilder } from 'kysely'
import { MAX_PAGE_LENGTH } from '../core/json-text.ts'
import type { Kind, Objects } from '../core/kinds.ts'
import { type Blocks, type CreatedBound, spanOf } from './blocks.ts'
import { codecOf } from './codec.ts'
import {
  countQuery,
  foundQuery,
  type IndexedText,
  indexedText,
  rowsQuery,
  type Search,
  type SearchClause,
  searchQuery,
} from './search-query.ts'
import { spellingsOf } from './spellings.ts'
import type { Cut, Reader, Statement, Statements } from './statements.ts'
import { firstTextQuery, placesQuery } from './text-places.ts'
import { SEARCH_STEP_BYTES } from './text-search.ts'

/** A page of the objects that a search finds, newest first. */
export type SearchPage = {
  readonly limit: number
  /** The seq of the object after which the page begins. */
  readonly after?: number | undefined
}

/** The seqs between which a search reads; both ends are exclusive. */
type Span = { readonly above: number; readonly below: number }
type SearchValues = Span & { readonly merchant: number } & Readonly<Record<string, unknown>>

const EVERYTHING: Span = { above: -1, below: Number.MAX_SAFE_INTEGER }
const BOUNDS = { isAbove: true, isBelow: true }
/** paytwin: the maximum number of rows that a step of a search reads. */
const CHUNK_ROWS = 200

/** Reads the seq of a row, which is followed by the size of what a search reads in it. */
const seqOf: Reader<number> = ([seq]) => seq as number
const bytesOf: Reader<number> = ([, bytes]) => bytes as number
const textOf: Reader<string> = ([text]) => text as string

/**
 * Finds objects by clauses that a caller chooses, in short steps: each `next` of a generator is one. Between steps it keeps
 * only places. The statements with clauses are not kept, because there are too many.
 */
export class ObjectSearch {
  readonly #statements: Statements
  readonly #blocks: Blocks

  constructor(statements: Statements, blocks: Blocks) {
    this.#statements = statements
    this.#blocks = blocks
  }

  /**
   * Lists a page of a merchant's objects that a search finds, newest first. It ends early if the objects would be too long. They are
   * read in the last step, as they are then, so that a search that waits keeps only their places.
   */
  *list<K extends Kind>(
    kind: K,
    merchant: number,
    search: Search,
    { limit, after }: SearchPage,
  ): Generator<void, Cut<Objects[K]>> {
    const span = this.#spanOf(kind, merchant, search)
    if (!span) return { rows: [], isCut: false }
    const { query, values } = searchQuery(kind, search, BOUNDS, limit)
    const statement = this.#statements.once(query, seqOf)
    const places: number[] = []
    const below = Math.min(after ?? span.below, span.below)
    for (const chunk of this.#chunks(kind, search, { ...span, below, merchant, ...values })) {
      const added = statement.all(chunk)
      places.push(...added)
      if (added.length > 0 && places.length >= limit) {
        const found = this.#read(kind, places, limit)
        // Objects that were deleted meanwhile are missing.
        if (found.isCut || found.rows.length === limit) return found
      }
      yield
    }
    return this.#read(kind, places, limit)
  }

  /** Reads the first objects at some places, as many as a page can have. */
  #read<K extends Kind>(kind: K, places: readonly number[], limit: number): Cut<Objects[K]> {
    if (places.length === 0) return { rows: [], isCut: false }
    const { decode, nestedLength } = codecOf(kind)
    const read = (row: readonly unknown[]) => decode(row) as Objects[K]
    return this.#named(`found ${kind}`, () => foundQuery(kind), read).allWithin(
      { places: JSON.stringify(places), limit },
      { maxLength: MAX_PAGE_LENGTH, lengthOf: nestedLength },
    )
  }

  /** Counts a merchant's objects that a search finds, up to a limit. */
  *count(kind: Kind, merchant: number, search: Search, limit: number): Generator<void, number> {
    const span = this.#spanOf(kind, merchant, search)
    if (!span) return 0
    const { query, values } = countQuery(kind, search, BOUNDS, limit)
    const statement = this.#statements.once<{ count: number }>(query)
    let count = 0
    for (const chunk of this.#chunks(kind, search, { ...span, merchant, ...values })) {
      count += statement.get(chunk)?.count ?? 0
      if (count >= limit) break
      yield
    }
    return Math.min(count, limit)
  }

  /** Divides the rows that a search reads into chunks, newest first. @returns the values of each, with its bounds */
  *#chunks(kind: Kind, search: Search, values: SearchValues): Generator<SearchValues> {
    const next = this.#statements.once(rowsQuery(kind, search, CHUNK_ROWS), seqOf)
    const maxLength = SEARCH_STEP_BYTES / search.clauses.length
    const lastOf: LastOfChunk = (some) => {
      const { rows, isCut } = next.allWithin(some, { maxLength, lengthOf: bytesOf })
      return isCut || rows.length === CHUNK_ROWS ? rows.at(-1) : undefined
    }
    const text = indexedText(kind, search)
    if (text) {
      yield* chunksOfPlaces(this.#placesOf(kind, text, values), values, lastOf)
      return
    }
    for (let { below } = values; ; ) {
      const last = lastOf({ ...values, below })
      yield { ...values, below, above: last === undefined ? values.above : last - 1 }
      if (last === undefined) return
      below = last
    }
  }

  /**
   * Returns how to read the next places of rows with a text. Those of each spelling are read along the index. With too many spellings,
   * all rows of the merchant are read.
   */
  #placesOf(kind: Kind, { column, value }: IndexedText, values: SearchValues): NextPlaces {
    const { merchant } = values
    const first = this.#named(`first ${kind} by ${column}`, () => firstTextQuery(kind, column), textOf)
    const spellings = spellingsOf(String(values[value]), (from) => first.get({ merchant, from }))
    const name = spellings ? `places of ${kind} by ${column}` : `places of ${kind}`
    const query = () => placesQuery(kind, spellings && column, CHUNK_ROWS)
    const places = this.#named(name, query, seqOf)
    return (span) =>
      (spellings ?? [undefined])
        .flatMap((text) => places.all({ ...span, merchant, text }))
        .sort((left, right) => right - left)
        .slice(0, CHUNK_ROWS)
  }

  #named<Row>(name: string, query: () => RawBuilder<object>, read: Reader<Row>): Statement<Row> {
    return this.#statements.named(name, (db) => ({ compile: () => query().compile(db) }), read)
  }

  /** Returns the seqs between which a search finds objects, by the instants that it names; undefined if there are none. */
  #spanOf(kind: Kind, merchant: number, { joined, clauses }: Search): Span | undefined {
    const created = joined === 'or' ? [] : clauses.flatMap(createdBound)
    return created.length === 0 ? EVERYTHING : this.#blocks.placesOf(kind, merchant, spanOf(created))
  }
}

/** Returns the seq of the last row of the next chunk; undefined if it is the last chunk. */
type LastOfChunk = (values: SearchValues) => number | undefined

/** Returns the seqs of the next rows in a span, newest first, up to the size of a chunk. */
type NextPlaces = (span: Span) => readonly number[]

/** Divides the rows at some places into chunks. */
function* chunksOfPlaces(
  nextPlaces: NextPlaces,
  values: SearchValues,
  lastOf: LastOfChunk,
): Generator<SearchValues> {
  const named = (places: readonly number[]) => ({ ...values, places: JSON.stringify(places) })
  for (let { above, below } = values; ; ) {
    const some = nextPlaces({ above, below })
    const last = some.length === 0 ? undefined : (lastOf(named(some)) ?? some.at(-1))
    if (last === undefined) return
    yield named(some.filter((seq) => seq >= last))
    if (some.length < CHUNK_ROWS && last === some.at(-1)) return
    below = last
  }
}

/** Returns the bound that a clause sets on the creation time. */
function createdBound({ operand, comparison, isNegated }: SearchClause): CreatedBound[] {
  if (isNegated || !('column' in operand) || operand.column !== 'created') return []
  if ('compare' in comparison) return [comparison]
  return 'is' in comparison && typeof comparison.is === 'number' ? [{ compare: '=', to: comparison.is }] : []
}
