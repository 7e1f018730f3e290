import type { Kind, Objects } from '../core/kinds.ts'
import { type Blocks, type CreatedBound, spanOf } from './blocks.ts'
import { codecOf } from './codec.ts'
import { countQuery, type Search, type SearchClause, searchQuery } from './search-query.ts'
import type { Statements } from './statements.ts'

/** A page of the objects that a search finds, newest first. */
export type SearchPage = {
  readonly limit: number
  /** The seq of the object after which the page begins. */
  readonly after?: number | undefined
}

/** Finds objects by clauses that a caller chooses. Its statements are not kept, because there are too many. */
export class ObjectSearch {
  readonly #statements: Statements
  readonly #blocks: Blocks

  constructor(statements: Statements, blocks: Blocks) {
    this.#statements = statements
    this.#blocks = blocks
  }

  /** Lists a page of a merchant's objects that a search finds, newest first. */
  list<K extends Kind>(
    kind: K,
    merchant: number,
    search: Search,
    { limit, after }: SearchPage,
  ): Objects[K][] {
    const span = this.#spanOf(kind, merchant, search)
    if (!span) return []
    const below = after === undefined ? span.below : Math.min(after, span.below ?? after)
    const bounds = { isAbove: span.above !== undefined, isBelow: below !== undefined }
    const { query, values } = searchQuery(kind, search, bounds, limit)
    return this.#statements
      .once(query, (row) => codecOf(kind).decode(row) as Objects[K])
      .all({ merchant, above: span.above, below, ...values })
  }

  /** Counts a merchant's objects that a search finds, up to a limit. */
  count(kind: Kind, merchant: number, search: Search, limit: number): number {
    const span = this.#spanOf(kind, merchant, search)
    if (!span) return 0
    const bounds = { isAbove: span.above !== undefined, isBelow: span.below !== undefined }
    const { query, values } = countQuery(kind, search, bounds, limit)
    const row = this.#statements.once<{ count: number }>(query).get({ merchant, ...span, ...values })
    return row?.count ?? 0
  }

  /** Returns the seqs between which a search finds objects, by the instants that it names; undefined if there are none. */
  #spanOf(
    kind: Kind,
    merchant: number,
    { joined, clauses }: Search,
  ): { above?: number; below?: number } | undefined {
    const created = joined === 'or' ? [] : clauses.flatMap(createdBound)
    return created.length === 0 ? {} : this.#blocks.placesOf(kind, merchant, spanOf(created))
  }
}

/** Returns the bound that a clause sets on the creation time. */
function createdBound({ operand, comparison, isNegated }: SearchClause): CreatedBound[] {
  if (isNegated || !('column' in operand) || operand.column !== 'created') return []
  if ('compare' in comparison) return [comparison]
  return 'is' in comparison && typeof comparison.is === 'number' ? [{ compare: '=', to: comparison.is }] : []
}
