import { MAX_PAGE_LENGTH } from '../core/json-text.ts'
import type { Kind, Objects } from '../core/kinds.ts'
import { type Blocks, type CreatedBound, spanOf } from './blocks.ts'
import { codecOf } from './codec.ts'
import {
  countQuery,
  placesQuery,
  rowsQuery,
  type Search,
  type SearchClause,
  searchQuery,
} from './search-query.ts'
import type { Cut, Reader, Statements } from './statements.ts'
import { SEARCH_STEP_BYTES } from './text-search.ts'

/** A page of the objects that a search finds, newest first. */
export type SearchPage = {
  readonly limit: number
  /** The seq of the object after which the page begins. */
  readonly after?: number | undefined
}

/** The seqs between which a search reads; both ends are exclusive. */
type Span = { readonly above: number; readonly below: number }
type SearchValues = Span & Readonly<Record<string, unknown>>

const EVERYTHING: Span = { above: -1, below: Number.MAX_SAFE_INTEGER }
const BOUNDS = { isAbove: true, isBelow: true }
/** paytwin: the maximum number of rows that a step of a search reads. */
const CHUNK_ROWS = 200

type Place = { readonly seq: number }

/** Reads the seq of a row, which is followed by the size of what a search reads in it. */
const seqOf: Reader<number> = ([seq]) => seq as number
const bytesOf: Reader<number> = ([, bytes]) => bytes as number

/**
 * Finds objects by clauses that a caller chooses, in short steps: each `next` of a generator is one. Its statements are not
 * kept, because there are too many.
 */
export class ObjectSearch {
  readonly #statements: Statements
  readonly #blocks: Blocks

  constructor(statements: Statements, blocks: Blocks) {
    this.#statements = statements
    this.#blocks = blocks
  }

  /** Lists a page of a merchant's objects that a search finds, newest first. It ends early if the objects would be too long. */
  *list<K extends Kind>(
    kind: K,
    merchant: number,
    search: Search,
    { limit, after }: SearchPage,
  ): Generator<void, Cut<Objects[K]>> {
    const span = this.#spanOf(kind, merchant, search)
    if (!span) return { rows: [], isCut: false }
    const { query, values } = searchQuery(kind, search, BOUNDS, limit)
    const { decode, nestedLength } = codecOf(kind)
    const statement = this.#statements.once(query, (row) => decode(row) as Objects[K])
    const rows: Objects[K][] = []
    let length = 0
    const below = Math.min(after ?? span.below, span.below)
    for (const chunk of this.#chunks(kind, search, { ...span, below, merchant, ...values })) {
      const found = statement.allWithin(chunk, {
        maxLength: MAX_PAGE_LENGTH - length,
        lengthOf: nestedLength,
        least: rows.length === 0 ? 1 : 0,
      })
      rows.push(...found.rows)
      length += found.length
      if (found.isCut) return { rows: rows.slice(0, limit), isCut: true }
      if (rows.length >= limit) break
      yield
    }
    return { rows: rows.slice(0, limit), isCut: false }
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
    const query = placesQuery(kind, search)
    if (query) {
      yield* chunksOfPlaces(this.#statements.once<Place>(query).all(values), values, lastOf)
      return
    }
    for (let { below } = values; ; ) {
      const last = lastOf({ ...values, below })
      yield { ...values, below, above: last === undefined ? values.above : last - 1 }
      if (last === undefined) return
      below = last
    }
  }

  /** Returns the seqs between which a search finds objects, by the instants that it names; undefined if there are none. */
  #spanOf(kind: Kind, merchant: number, { joined, clauses }: Search): Span | undefined {
    const created = joined === 'or' ? [] : clauses.flatMap(createdBound)
    return created.length === 0 ? EVERYTHING : this.#blocks.placesOf(kind, merchant, spanOf(created))
  }
}

/** Returns the seq of the last row of the next chunk; undefined if it is the last chunk. */
type LastOfChunk = (values: SearchValues) => number | undefined

/** Divides the rows at some places into chunks. */
function* chunksOfPlaces(
  places: readonly Place[],
  values: SearchValues,
  lastOf: LastOfChunk,
): Generator<SearchValues> {
  const named = (some: readonly Place[]) => ({
    ...values,
    places: JSON.stringify(some.map(({ seq }) => seq)),
  })
  for (let done = 0; done < places.length; ) {
    const some = places.slice(done, done + CHUNK_ROWS)
    const last = lastOf(named(some))
    const chunk = last === undefined ? some : some.slice(0, some.findIndex(({ seq }) => seq === last) + 1)
    yield named(chunk)
    done += chunk.length
  }
}

/** Returns the bound that a clause sets on the creation time. */
function createdBound({ operand, comparison, isNegated }: SearchClause): CreatedBound[] {
  if (isNegated || !('column' in operand) || operand.column !== 'created') return []
  if ('compare' in comparison) return [comparison]
  return 'is' in comparison && typeof comparison.is === 'number' ? [{ compare: '=', to: comparison.is }] : []
}
