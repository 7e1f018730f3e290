import { sql } from 'kysely'
import type { Kind, Objects } from '../core/change.ts'
import { assert } from '../core/errors.ts'
import { codecOf, type FieldSet } from './codec.ts'
import { COLUMNS } from './columns.ts'
import { Place } from './place.ts'
import { Recent } from './recent.ts'
import { arg, type Reader, type Statement, type Statements } from './statements.ts'

/** Deliveries are not cached: statements outside of this class write many of them at once (see DeliveryQueue). */
const CACHED_DELIVERIES = 0

/** A cached object with its position and owner. */
type Cached<T> = { readonly merchant: number; readonly place: Place; readonly object: T }

/** The columns after those of the object: its owner, and its position in the order of the constructor's parameters. */
const ROW_COLUMNS = ['merchant', 'seq', 'newest_entry', 'entry_count'] as const

/** The table of one kind of object, one row each. */
export class KindTable<K extends Kind> {
  readonly #kind: K
  readonly #statements: Statements
  readonly #columns: readonly string[]
  /** The objects that were last read or written, by id. */
  readonly #recent: Recent<Cached<Objects[K]>>
  #insertion: Statement<unknown> | undefined
  readonly #updates = new Map<FieldSet, Statement<unknown>>()

  /** @param objectsKept - how many objects are kept in memory for certain */
  constructor(kind: K, statements: Statements, objectsKept: number) {
    this.#kind = kind
    this.#statements = statements
    this.#columns = Object.keys(COLUMNS[kind])
    this.#recent = new Recent(kind === 'webhook_delivery' ? CACHED_DELIVERIES : objectsKept)
  }

  /** The columns that `reader` requires. */
  get columns(): string[] {
    return [...this.#columns, ...ROW_COLUMNS]
  }

  /** Creates an object from a row of the columns, and caches it. */
  readonly reader: Reader<Objects[K]> = (values) => this.#cache(values).object

  /** Returns the object with this id; undefined when the merchant has none. */
  get(merchant: number, id: string): Objects[K] | undefined {
    return this.#find(merchant, id)?.object
  }

  /** Reads the objects of many ids into the cache with one statement. */
  load(merchant: number, ids: readonly string[]): void {
    const missing = ids.filter((id) => !this.#recent.get(id))
    if (missing.length < 2) return
    this.#statements
      .named(
        `load ${this.#kind}`,
        (db) =>
          db
            .selectFrom(this.#kind as 'object')
            .select(this.columns)
            // The plus keeps the planner off the indexes of this column, with which it would read all rows of the
            // merchant.
            .where(sql<boolean>`+merchant = ${arg('merchant')}`)
            .where(sql<boolean>`id in (select value from json_each(${arg('ids')}))`),
        this.reader,
      )
      .all({ merchant, ids: JSON.stringify(missing) })
  }

  /** Returns the object with this seq, whoever owns it. It is not cached: readers of the past read each object once. */
  at(seq: number): Objects[K] {
    const object = this.#statements
      .named(
        `at ${this.#kind}`,
        (db) =>
          db
            .selectFrom(this.#kind as 'object')
            .select(this.#columns)
            .where('seq', '=', arg<number>('seq')),
        (values) => codecOf(this.#kind).decode(values),
      )
      .get({ seq })
    assert(object, `${this.#kind} ${seq} exists`)
    return object
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
    const known = this.#find(merchant, id)
    assert(known, `${id} exists`)
    return known.place
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
  insert(merchant: number, object: Objects[K], place: Place): void {
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
    const values = codecOf(this.#kind).encode(object)
    place.seq = this.#insertion.runWith(merchant, place.newestEntry, place.entryCount, ...values).last
    this.#recent.set(object.id, { merchant, place, object })
  }

  /** Writes the changed fields and the end of the chain of entries. */
  update(merchant: number, { before, after }: { before: Objects[K]; after: Objects[K] }, place: Place): void {
    const changed = codecOf(this.#kind).changes(before, after)
    const values = changed.encode(after)
    const { changes } = this.#updateOf(changed).runWith(
      place.newestEntry,
      place.entryCount,
      ...values,
      place.seq,
      after.id,
    )
    assert(changes === 1, `${after.id} has its row`)
    this.#recent.set(after.id, { merchant, place, object: after })
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
  }

  #find(merchant: number, id: string): Cached<Objects[K]> | undefined {
    const recent = this.#recent.get(id)
    if (recent) return recent.merchant === merchant ? recent : undefined
    return this.#statements
      .named(
        `get ${this.#kind}`,
        (db) =>
          db
            .selectFrom(this.#kind as 'object')
            .select(this.columns)
            .where('id', '=', arg<string>('id'))
            .where('merchant', '=', arg<number>('merchant')),
        (values) => this.#cache(values),
      )
      .get({ id, merchant })
  }

  /** Creates an object from a row of the columns, and caches it. */
  #cache(values: readonly unknown[]): Cached<Objects[K]> {
    const object = codecOf(this.#kind).decode(values)
    const [merchant, seq, newestEntry, entryCount] = values.slice(this.#columns.length) as [
      number,
      number,
      number | null,
      number,
    ]
    const cached = { merchant, place: new Place(seq, newestEntry, entryCount), object }
    this.#recent.set(object.id, cached)
    return cached
  }
}
