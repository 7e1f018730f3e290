import { sql } from 'kysely'
import type { Kind, Objects } from '../core/change.ts'
import { assert } from '../core/errors.ts'
import { codecOf, type FieldSet } from './codec.ts'
import { COLUMNS } from './columns.ts'
import { Place } from './place.ts'
import { Recent } from './recent.ts'
import { arg, type Reader, type Statement, type Statements } from './statements.ts'

/** Deliveries are also written many at a time, by statements that do not pass here (see DeliveryQueue). */
const DELIVERIES_KEPT = 0

/** An object as its row holds it. */
type Known<T> = { readonly merchant: number; readonly place: Place; readonly object: T }

/** The columns behind those of an object: its owner, and its place in the order of the constructor's parameters. */
const ROW_COLUMNS = ['merchant', 'seq', 'newest_entry', 'entry_count'] as const

/** The table of one kind of object, one row each. */
export class KindTable<K extends Kind> {
  readonly #kind: K
  readonly #statements: Statements
  readonly #columns: readonly string[]
  /** The objects that were read or written last, by id. */
  readonly #recent: Recent<Known<Objects[K]>>
  #insertion: Statement<unknown> | undefined
  readonly #updates = new Map<FieldSet, Statement<unknown>>()

  /** @param objectsKept - how many objects are kept in memory for certain */
  constructor(kind: K, statements: Statements, objectsKept: number) {
    this.#kind = kind
    this.#statements = statements
    this.#columns = Object.keys(COLUMNS[kind])
    this.#recent = new Recent(kind === 'webhook_delivery' ? DELIVERIES_KEPT : objectsKept)
  }

  /** The columns that `reader` takes. */
  get columns(): string[] {
    return [...this.#columns, ...ROW_COLUMNS]
  }

  /** Makes an object of a row of the columns, and keeps it. */
  readonly reader: Reader<Objects[K]> = (values) => this.#known(values).object

  /** The object of this id; undefined when the merchant has none. */
  get(merchant: number, id: string): Objects[K] | undefined {
    return this.#find(merchant, id)?.object
  }

  /** Reads objects that are going to be asked for, all at once. */
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
            // A plus keeps the planner off the indexes of this column, with which it would read all rows of the merchant.
            .where(sql<boolean>`+merchant = ${arg('merchant')}`)
            .where(sql<boolean>`id in (select value from json_each(${arg('ids')}))`),
        this.reader,
      )
      .all({ merchant, ids: JSON.stringify(missing) })
  }

  /** The object in this place of its table, whoever owns it. It is not kept: whoever looks at the past reads each once. */
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
    assert(object, `${this.#kind} ${seq} is there`)
    return object
  }

  /** The place of an object in the order of creation; undefined when the merchant has none of this id. */
  seqOf(merchant: number, id: string): number | undefined {
    return this.#find(merchant, id)?.place.seq
  }

  /**
   * The place of an object, to be changed together with the object.
   * @throws when the merchant has none of this id
   */
  placeOf(merchant: number, id: string): Place {
    const known = this.#find(merchant, id)
    assert(known, `${id} is there`)
    return known.place
  }

  /** The seq of the newest journal entry of the object in this place of its table; null when there is none. */
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

  /** Writes the fields that changed, and the end of the chain of entries. */
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
    assert(changes === 1, `${after.id} is where it was`)
    this.#recent.set(after.id, { merchant, place, object: after })
  }

  /** The statement that writes some fields. Its name is long: to compare it takes longer than to bind the values. */
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

  /** Drops the objects in memory: to be called when rows were changed in another way than by this class. */
  forget(): void {
    this.#recent.clear()
  }

  #find(merchant: number, id: string): Known<Objects[K]> | undefined {
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
        (values) => this.#known(values),
      )
      .get({ id, merchant })
  }

  /** Reads a row of the columns, and keeps its object. */
  #known(values: readonly unknown[]): Known<Objects[K]> {
    const object = codecOf(this.#kind).decode(values)
    const [merchant, seq, newestEntry, entryCount] = values.slice(this.#columns.length) as [
      number,
      number,
      number | null,
      number,
    ]
    const known = { merchant, place: new Place(seq, newestEntry, entryCount), object }
    this.#recent.set(object.id, known)
    return known
  }
}
