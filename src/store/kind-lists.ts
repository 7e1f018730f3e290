import { assert } from '../core/errors.ts'
import { MAX_PAGE_LENGTH } from '../core/json-text.ts'
import { type Blocks, spanOf } from './blocks.ts'
import { codecOf } from './codec.ts'
import { type Filter, type ListQuery, listQuery, type Page, type PageShape } from './list-query.ts'
import type { Cut, Reader, Statement, Statements } from './statements.ts'
import type { StoredKind, StoredObjects, Summary } from './stored-kind.ts'

/** Lists objects of one kind: newest first, with `before` oldest first. They are not cached. */
export class KindLists<K extends StoredKind> {
  readonly #kind: K
  readonly #statements: Statements
  readonly #blocks: Blocks

  constructor(kind: K, statements: Statements, blocks: Blocks) {
    this.#kind = kind
    this.#statements = statements
    this.#blocks = blocks
  }

  /** Lists a merchant's objects that meet all conditions, up to the limit. */
  all(merchant: number, filters: readonly Filter[], page: Page): StoredObjects[K][] {
    const query = this.#queryOf(merchant, filters, page)
    return query ? this.#statementOf(query, codecOf(this.#kind).decode).all(query.values) : []
  }

  /** Lists the ids of the objects that `all` lists. */
  ids(merchant: number, filters: readonly Filter[], page: Page): string[] {
    const query = this.#queryOf(merchant, filters, page, 'ids')
    const read: Reader<string> = ([id]) => id as string
    return query ? this.#statementOf(query, read).all(query.values) : []
  }

  /** Lists the same objects without their nested values, which can be long. */
  summaries(merchant: number, filters: readonly Filter[], page: Page): Summary<StoredObjects[K]>[] {
    const query = this.#queryOf(merchant, filters, page, 'summary')
    const plain = codecOf(this.#kind).fields.filter(({ type }) => type !== 'json')
    const read: Reader<Summary<StoredObjects[K]>> = (values) =>
      Object.fromEntries(
        plain.map(({ name, type }, place) => [
          name,
          type === 'boolean' ? values[place] === 1 : values[place],
        ]),
      ) as Summary<StoredObjects[K]>
    return query ? this.#statementOf(query, read).all(query.values) : []
  }

  /** Lists the same objects as `all`, but ends early if they would be longer than a page can be. At least one is listed, if there is one. */
  page(merchant: number, filters: readonly Filter[], page: Page): Cut<StoredObjects[K]> {
    // To read rows one by one takes longer than to read them together, so it is done only if some are large.
    const small = this.#smallRows(this.#queryOf(merchant, filters, page, 'small values'))
    if (small) return { rows: small, isCut: false }
    const query = this.#queryOf(merchant, filters, page)
    const { decode, nestedLength: lengthOf } = codecOf(this.#kind)
    assert(query, 'there are rows')
    return this.#statementOf(query, decode).allWithin(query.values, { maxLength: MAX_PAGE_LENGTH, lengthOf })
  }

  /** Reads the rows of a query that leaves large values out. @returns undefined if it has left out some */
  #smallRows(query: ListQuery | undefined): readonly StoredObjects[K][] | undefined {
    if (!query) return []
    const { decode, hasLeftOut } = codecOf(this.#kind)
    const read: Reader<StoredObjects[K] | undefined> = (values) =>
      hasLeftOut(values) ? undefined : decode(values)
    const rows = this.#statementOf(query, read).all(query.values)
    return rows.every((row) => row !== undefined) ? rows : undefined
  }

  #statementOf<Row>({ name, query }: ListQuery, read: Reader<Row>): Statement<Row> {
    return this.#statements.named(name, (db) => ({ compile: () => query().compile(db) }), read)
  }

  /** @returns undefined if no object can meet the conditions */
  #queryOf(
    merchant: number,
    filters: readonly Filter[],
    page: Page,
    columns: PageShape['columns'] = 'all',
  ): ListQuery | undefined {
    const created = filters.flatMap((filter) =>
      'compare' in filter && filter.field === 'created' ? [filter] : [],
    )
    const places = created.length === 0 ? {} : this.#blocks.placesOf(this.#kind, merchant, spanOf(created))
    if (!places) return undefined
    const { above, below } = { above: undefined, below: undefined, ...places }
    const bounds = {
      above: page.before === undefined ? above : Math.max(page.before, above ?? 0),
      below: page.after === undefined ? below : Math.min(page.after, below ?? Number.MAX_SAFE_INTEGER),
    }
    const query = listQuery(this.#kind, filters, {
      isAbove: bounds.above !== undefined,
      isBelow: bounds.below !== undefined,
      order: page.before === undefined ? 'newest first' : 'oldest first',
      limit: page.limit,
      columns,
    })
    return { ...query, values: { merchant, ...bounds, ...query.values } }
  }
}
