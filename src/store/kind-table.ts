import { type RawBuilder, sql } from 'kysely'
import { copyWith } from '../core/deferred-value.ts'
import { assert } from '../core/errors.ts'
import type { WithoutMetadata } from '../core/metadata.ts'
import type { Blocks } from './blocks.ts'
import { codecOf, type FieldSet, MAX_NESTED } from './codec.ts'
import { columnsOf } from './columns.ts'
import { findById, type LookupById } from './damage.ts'
import { KindLists } from './kind-lists.ts'
import { LongMetadata } from './long-metadata.ts'
import { isSmall } from './object-sizes.ts'
import { Place } from './place.ts'
import { readPlace } from './read-place.ts'
import type { Recent } from './recent.ts'
import { type Cached, lengthOf, recentObjects } from './recent-objects.ts'
import { arg, type Reader, type Statement, type Statements, type Values } from './statements.ts'
import type { StoredKind, StoredObjects } from './stored-kind.ts'

/** The columns after those of the object: its owner, and its position in the order of the constructor's parameters. */
const ROW_COLUMNS = ['merchant', 'seq', 'newest_entry', 'entry_count'] as const

/** The same fields of an object before and after a change. */
type PartChange<T> = { readonly before: Partial<T>; readonly after: Partial<T> }

/** The table of one kind of object, one row each. */
export class KindTable<K extends StoredKind> {
  readonly lists: KindLists<K>
  readonly #kind: K
  readonly #statements: Statements
  readonly #blocks: Blocks
  readonly #columns: readonly string[]
  /** The objects that were last read or written, by id. */
  readonly #recent: Recent<Cached<StoredObjects[K]>>
  readonly #byId: LookupById<Cached<StoredObjects[K]>>
  readonly #long: LongMetadata<K>
  /** The objects that are read together when the first one that is not in the cache is asked for. */
  #expected: { readonly merchant: number; readonly ids: readonly string[] } | undefined
  #insertion: Statement<unknown> | undefined
  /** Weak, so that a statement is dropped with its set, of which the codec keeps a limited number. */
  readonly #updates = new WeakMap<FieldSet, Statement<unknown>>()

  /** @param given.objectsKept - the number of objects to keep in memory; 0 if statements outside of this class write them */
  constructor(
    kind: K,
    statements: Statements,
    { blocks, objectsKept }: { readonly blocks: Blocks; readonly objectsKept: number },
  ) {
    this.lists = new KindLists(kind, statements, blocks)
    this.#kind = kind
    this.#statements = statements
    this.#blocks = blocks
    this.#columns = Object.keys(columnsOf(kind))
    this.#recent = recentObjects(objectsKept)
    const { columns } = this
    const read = this.#cacheRow
    this.#byId = { name: `get ${kind}`, kind, columns: sql.join(columns.map((name) => sql.ref(name))), read }
    this.#long = new LongMetadata(kind, statements, { columns, read, objectsKept })
  }

  /** The columns that `reader` requires. */
  get columns(): string[] {
    return [...this.#columns, ...ROW_COLUMNS]
  }

  /** Creates an object from a row of the columns, and caches it. */
  readonly reader: Reader<StoredObjects[K]> = (values) => this.#cacheRow(values).object

  /** Returns the object with this id; undefined when the merchant has none. */
  get(merchant: number, id: string): StoredObjects[K] | undefined {
    return this.#find(merchant, id)?.object
  }

  /** Returns the same object, perhaps without its metadata: long metadata is not read. */
  withoutMetadata(merchant: number, id: string): WithoutMetadata<StoredObjects[K]> | undefined {
    const known = this.#recent.get(id)
    if (known) return known.merchant === merchant ? known.object : undefined
    return this.#long.get(merchant, id)
  }

  /**
   * Reads the objects of many ids into the cache with one statement, except large ones, which would take long together.
   * @returns those that are in the cache
   */
  load(merchant: number, ids: readonly string[]): StoredObjects[K][] {
    const missing = ids.filter((id) => !this.#recent.get(id))
    if (missing.length > 1) {
      this.readTogether(
        `load ${this.#kind}`,
        // The unary plus disables the indexes of this column, with which the planner would read all rows of the merchant. The ids of
        // the rows are read from the table: an index could lead to wrong rows (see damage.ts).
        () => sql`${sql.table(this.#kind)} where +merchant = ${arg('merchant')}
        and rowid in (select rowid from ${sql.table(this.#kind)} where id in (select value from json_each(${arg('ids')})))
        and ${isSmall(this.#kind, MAX_NESTED)}`,
        { merchant, ids: JSON.stringify(missing) },
      )
    }
    return ids.flatMap((id) => {
      const known = this.#recent.get(id)
      return known?.merchant === merchant ? known.object : []
    })
  }

  /**
   * Reads many objects into the cache with one statement. It returns them as one JSON text, which takes a quarter less time
   * than a value for each column.
   * @param name - the name of the statement
   * @param rows - builds the SQL that follows `from`
   * @returns the objects and their seqs, in no particular order
   */
  readTogether(
    name: string,
    rows: () => RawBuilder<unknown>,
    values: Values,
  ): { readonly seq: number; readonly object: StoredObjects[K] }[] {
    const { decodeParsed } = codecOf(this.#kind)
    const found = this.#statements
      .named<{ rows: string }>(name, (db) => ({
        compile: () =>
          sql`select json_group_array(json_array(${sql.join(this.#columnsInJson())})) as rows
            from ${rows()}`.compile(db),
      }))
      .get(values)
    const text = found?.rows ?? '[]'
    const parsed = JSON.parse(text) as unknown[][]
    const length = text.length / parsed.length
    return parsed.map((row) => {
      const { place, object } = this.#cache(row, { object: decodeParsed(row), length })
      return { seq: place.seq, object }
    })
  }

  /** Sets the ids of objects that may be asked for: the first question reads them all into the cache, as `load` does. */
  expect(merchant: number, ids: readonly string[]): void {
    this.#expected = ids.length > 1 ? { merchant, ids } : undefined
  }

  /** Returns the expressions of `columns` in a JSON array. */
  #columnsInJson() {
    const { fields } = codecOf(this.#kind)
    const nested = new Set(fields.filter(({ type }) => type === 'json').map(({ name }) => name))
    return this.columns.map((name) => (nested.has(name) ? sql`json(${sql.ref(name)})` : sql.ref(name)))
  }

  /** Returns an object's seq, which is the order of creation; undefined when the merchant has none with this id. */
  seqOf(merchant: number, id: string): number | undefined {
    return this.#find(merchant, id)?.place.seq
  }

  /**
   * Returns the position of an object, which the caller changes together with the object.
   * @throws when the merchant has none with this id
   */
  placeOf(merchant: number, id: string): Place {
    const known = this.#recent.get(id)
    const place =
      known?.merchant === merchant ? known.place : readPlace(this.#statements, this.#kind, { merchant, id })
    assert(place, `${id} exists`)
    return place
  }

  /** Returns the seq of the newest journal entry of the object with this seq; null when there is none. */
  newestEntryAt(seq: number): number | null {
    const row = this.#statements
      .named<{ newest_entry: number | null }>(`newest entry of ${this.#kind}`, (db) =>
        db
          .selectFrom(this.#kind as 'object')
          .select('newest_entry')
          .where('seq', '=', arg<number>('seq')),
      )
      .get({ seq })
    return row?.newest_entry ?? null
  }

  /** Inserts a row, and sets the seq of the place. */
  insert(merchant: number, object: StoredObjects[K], place: Place): void {
    this.#insertion ??= this.#statements.named(`insert ${this.#kind}`, (db) =>
      db.insertInto(this.#kind as 'object').values({
        merchant: arg<number>('merchant'),
        newest_entry: arg<number | null>('newest_entry'),
        entry_count: arg<number>('entry_count'),
        id: arg<string>('id'),
        created: arg<number>('created'),
        ...Object.fromEntries(this.#columns.map((name) => [name, arg(name)])),
      }),
    )
    const { encode, nestedLength } = codecOf(this.#kind)
    const values = encode(object)
    place.seq = this.#insertion.runWith(merchant, place.newestEntry, place.entryCount, ...values).last
    this.#blocks.added(this.#kind, { seq: place.seq, merchant, created: object.created })
    this.#recent.set(object.id, { merchant, place, object, length: nestedLength(values) })
  }

  /** Writes the changed fields and the end of the chain of entries. */
  update(
    merchant: number,
    { before, after }: { before: StoredObjects[K]; after: StoredObjects[K] },
    place: Place,
  ): void {
    const values = this.#write(after.id, { before, after }, place)
    // Without the object in the cache, the length of its unchanged values is not known.
    const known = this.#recent.get(after.id)
    if (!known) return
    const length = Math.max(known.length, lengthOf(values))
    this.#recent.set(after.id, { merchant, place, object: after, length })
  }

  /** Does the same for an object of which only some fields were read. None of those that change is nested. */
  updatePart(id: string, { before, after }: PartChange<StoredObjects[K]>, place: Place): void {
    this.#write(id, { before, after }, place)
    const known = this.#recent.get(id)
    if (known) this.#recent.set(id, { ...known, place, object: copyWith(known.object, after) })
  }

  /** Writes a row. @returns the values of the changed columns */
  #write(id: string, { before, after }: PartChange<StoredObjects[K]>, place: Place): unknown[] {
    const changed = codecOf(this.#kind).changes(before, after)
    const values = changed.encode(after)
    this.#long.forget()
    const { changes } = this.#updateOf(changed).runWith(
      place.newestEntry,
      place.entryCount,
      ...values,
      place.seq,
      id,
    )
    assert(changes === 1, `${id} has its row`)
    return values
  }

  /**
   * Returns the statement that writes some fields. It is cached by the set: comparing its long name takes longer than
   * binding.
   */
  #updateOf(changed: FieldSet): Statement<unknown> {
    const known = this.#updates.get(changed)
    if (known) return known
    const made = this.#statements.named(`update ${this.#kind} ${changed.name}`, (db) =>
      db
        .updateTable(this.#kind as 'object')
        .set({
          newest_entry: arg<number | null>('newest_entry'),
          entry_count: arg<number>('entry_count'),
          ...Object.fromEntries(changed.fields.map(({ name }) => [name, arg(name)])),
        })
        .where('seq', '=', arg<number>('seq'))
        .where('id', '=', arg<string>('id')),
    )
    this.#updates.set(changed, made)
    return made
  }

  /** Clears the cache. Must be called when rows were changed in another way than by this class. */
  forget(): void {
    this.#recent.clear()
    this.#long.forget()
    this.#expected = undefined
  }

  #find(merchant: number, id: string): Cached<StoredObjects[K]> | undefined {
    const recent = this.#recent.get(id)
    if (recent) return recent.merchant === merchant ? recent : undefined
    if (this.#expected) {
      const { ids, merchant: owner } = this.#expected
      this.#expected = undefined
      this.load(owner, ids)
      return this.#find(merchant, id)
    }
    const found = findById(this.#statements, this.#byId, id)
    return found?.merchant === merchant ? found : undefined
  }

  readonly #cacheRow: Reader<Cached<StoredObjects[K]>> = (values) => {
    const { decode, nestedLength } = codecOf(this.#kind)
    return this.#cache(values, { object: decode(values), length: nestedLength(values) })
  }

  /** Caches the object of a row of the columns. */
  #cache(
    values: readonly unknown[],
    { object, length }: Pick<Cached<StoredObjects[K]>, 'object' | 'length'>,
  ): Cached<StoredObjects[K]> {
    const [merchant, seq, newestEntry, entryCount] = values.slice(this.#columns.length) as [
      number,
      number,
      number | null,
      number,
    ]
    const cached = { merchant, place: new Place(seq, newestEntry, entryCount), object, length }
    this.#recent.set(object.id, cached)
    return cached
  }
}
