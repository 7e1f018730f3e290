import { assert } from '../core/errors.ts'
import { MAX_PAGE_LENGTH } from '../core/json-text.ts'
import { type Blocks, spanOf } from './blocks.ts'
import { codecOf, decodeValue } from './codec.ts'
import {
  type Filter,
  type ListQuery,
  listQuery,
  type Page,
  type PageShape,
  type StepEnd,
  stepEndQuery,
} from './list-query.ts'
import type { Cut, Reader, Statement, Statements } from './statements.ts'
import type { StoredKind, StoredObjects, Summary } from './stored-kind.ts'
import { SEARCH_STEP_BYTES } from './text-search.ts'

/** paytwin: the number of a merchant's objects that a step of a long list reads. Each takes some 2 µs. */
const STEP_ROWS = 1_000

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
    const query = this.#queryOf(merchant, filters, page, { columns: 'ids' })
    const read: Reader<string> = ([id]) => id as string
    return query ? this.#statementOf(query, read).all(query.values) : []
  }

  /** Lists the same ids in short steps, for lists that may read all objects of the merchant: each `next` of the generator is one. */
  *idsInSteps(merchant: number, filters: readonly Filter[], page: Page): Generator<void, string[]> {
    const ids: string[] = []
    for (let step = page; ; ) {
      const until = this.#endOfStep(merchant, filters, step)
      ids.push(...this.ids(merchant, filters, { ...step, until }))
      if (until === undefined || ids.length >= page.limit) return ids.slice(0, page.limit)
      yield
      step = { ...page, [page.before === undefined ? 'after' : 'before']: until }
    }
  }

  /** Returns the seq of the last row of a step that begins where a page does; undefined if it is the last step. */
  #endOfStep(merchant: number, filters: readonly Filter[], { after, before }: Page): number | undefined {
    const texts = filters.filter((filter) => 'text' in filter).length
    const order = before === undefined ? 'newest first' : 'oldest first'
    const values = { merchant, from: before ?? after ?? Number.MAX_SAFE_INTEGER }
    const query = stepEndQuery(this.#kind, order, texts > 0)
    for (let limit = STEP_ROWS; ; limit = Math.ceil(limit / 2)) {
      const { seq, rows, bytes } = this.#statementOf(query, readStepEnd).get({ ...values, limit }) as StepEnd
      if (limit === 1 || bytes * texts <= SEARCH_STEP_BYTES)
        return rows < limit ? undefined : (seq ?? undefined)
    }
  }

  /**
   * Lists the same objects without their nested values, which can be long.
   * @param nested - the nested values that are read nevertheless
   */
  summaries<Nested extends keyof StoredObjects[K] = never>(
    merchant: number,
    filters: readonly Filter[],
    page: Page,
    nested: readonly Nested[] = [],
  ): Summary<StoredObjects[K], Nested>[] {
    const names = nested.map(String)
    const query = this.#queryOf(merchant, filters, page, { columns: 'summary', nested: names })
    const fields = codecOf(this.#kind).fields.filter(
      ({ name, type }) => type !== 'json' || names.includes(name),
    )
    const read: Reader<Summary<StoredObjects[K], Nested>> = (values) =>
      Object.fromEntries(
        fields.map(({ name, type }, place) => [name, decodeValue(type, values[place])]),
      ) as Summary<StoredObjects[K], Nested>
    return query ? this.#statementOf(query, read).all(query.values) : []
  }

  /** Lists the same objects as `all`, but ends early if they would be longer than a page can be. At least one is listed, if there is one. */
  page(merchant: number, filters: readonly Filter[], page: Page): Cut<StoredObjects[K]> {
    // To read rows one by one takes longer than to read them together, so it is done only if some are large.
    const small = this.#smallRows(this.#queryOf(merchant, filters, page, { columns: 'small values' }))
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
    columns: Pick<PageShape, 'columns' | 'nested'> = { columns: 'all' },
  ): ListQuery | undefined {
    const created = filters.flatMap((filter) =>
      'compare' in filter && filter.field === 'created' ? [filter] : [],
    )
    const places = created.length === 0 ? {} : this.#blocks.placesOf(this.#kind, merchant, spanOf(created))
    if (!places) return undefined
    const { above, below } = { above: undefined, below: undefined, ...places }
    const { before, after, until } = page
    const [last, first] = before === undefined ? [until, undefined] : [undefined, until]
    const bounds = {
      above: greatest(before, above, last === undefined ? undefined : last - 1),
      below: least(after, below, first === undefined ? undefined : first + 1),
    }
    const query = listQuery(this.#kind, filters, {
      isAbove: bounds.above !== undefined,
      isBelow: bounds.below !== undefined,
      order: page.before === undefined ? 'newest first' : 'oldest first',
      limit: page.limit,
      ...columns,
    })
    return { ...query, values: { merchant, ...bounds, ...query.values } }
  }
}

const readStepEnd: Reader<StepEnd> = ([seq, rows, bytes]) => ({ seq, rows, bytes }) as StepEnd

const given = (values: readonly (number | undefined)[]) => values.filter((value) => value !== undefined)

/** Returns the greatest of the values that are given; undefined if none is. */
function greatest(...values: readonly (number | undefined)[]): number | undefined {
  const known = given(values)
  return known.length === 0 ? undefined : Math.max(...known)
}

function least(...values: readonly (number | undefined)[]): number | undefined {
  const known = given(values)
  return known.length === 0 ? undefined : Math.min(...known)
}
