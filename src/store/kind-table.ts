import type { Kind, Objects } from '../core/change.ts'
import { assert } from '../core/errors.ts'
import { codecOf } from './codec.ts'
import { COLUMNS } from './columns.ts'
import { Place } from './place.ts'
import { arg, type Reader, type Statements } from './statements.ts'

/** How many places are remembered: more than nearly all commands touch, and few enough to be at hand. */
const MOST_PLACES = 256

/** The columns of a place, in the order of the constructor's parameters. */
const PLACE_COLUMNS = ['seq', 'newest_entry', 'entry_count'] as const

/** Makes a place of its columns, which are the first from an offset on. */
const placeFrom = (values: readonly unknown[], offset: number): Place =>
  new Place(values[offset] as number, values[offset + 1] as number | null, values[offset + 2] as number)

/** The table of one kind of object, one row each. */
export class KindTable<K extends Kind> {
  readonly #kind: K
  readonly #statements: Statements
  readonly #columns: readonly string[]
  /** The places of the objects that were read or written last, so that their next change needs no lookup. */
  readonly #places = new Map<string, Place>()

  constructor(kind: K, statements: Statements) {
    this.#kind = kind
    this.#statements = statements
    this.#columns = Object.keys(COLUMNS[kind])
  }

  /** The columns that `reader` takes. */
  get columns(): string[] {
    return [...this.#columns, ...PLACE_COLUMNS]
  }

  /** Makes an object of a row of the columns, and remembers its place. */
  readonly reader: Reader<Objects[K]> = (values) => {
    const object = codecOf(this.#kind).decode(values)
    this.#remember(object.id, placeFrom(values, this.#columns.length))
    return object
  }

  /** The object of this id; undefined when the merchant has none. */
  get(merchant: number, id: string): Objects[K] | undefined {
    return this.#statements
      .named(
        `get ${this.#kind}`,
        (db) =>
          db
            .selectFrom(this.#kind as 'object')
            .select(this.columns)
            .where('id', '=', arg<string>('id'))
            .where('merchant', '=', arg<number>('merchant')),
        this.reader,
      )
      .get({ id, merchant })
  }

  /** The object in this place of its table, whoever owns it. */
  at(seq: number): Objects[K] {
    const object = this.#statements
      .named(
        `at ${this.#kind}`,
        (db) =>
          db
            .selectFrom(this.#kind as 'object')
            .select(this.columns)
            .where('seq', '=', arg<number>('seq')),
        this.reader,
      )
      .get({ seq })
    assert(object, `${this.#kind} ${seq} is there`)
    return object
  }

  /** The place of an object in the order of creation; undefined when the merchant has none of this id. */
  seqOf(merchant: number, id: string): number | undefined {
    return this.#findPlace(merchant, id)?.seq
  }

  /**
   * The place of an object, to be changed together with the object.
   * @throws when the merchant has none of this id
   */
  placeOf(merchant: number, id: string): Place {
    const place = this.#places.get(id) ?? this.#findPlace(merchant, id)
    assert(place, `${id} is there`)
    return place
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
    const { last } = this.#statements
      .named(`insert ${this.#kind}`, (db) =>
        db.insertInto(this.#kind as 'object').values({
          merchant: arg<number>('merchant'),
          newest_entry: arg<number | null>('newest_entry'),
          entry_count: arg<number>('entry_count'),
          id: arg<string>('id'),
          created: arg<number>('created'),
          ...Object.fromEntries(this.#columns.map((name) => [name, arg(name)])),
        }),
      )
      .runWith([merchant, place.newestEntry, place.entryCount, ...codecOf(this.#kind).encode(object)])
    place.seq = last
    this.#remember(object.id, place)
  }

  /** Writes the fields that changed, and the end of the chain of entries. */
  update(before: Objects[K], after: Objects[K], { seq, newestEntry, entryCount }: Place): void {
    const changed = codecOf(this.#kind).changes(before, after)
    const { changes } = this.#statements
      .named(`update ${this.#kind} ${changed.name}`, (db) =>
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
      .runWith([newestEntry, entryCount, ...changed.encode(after), seq, after.id])
    assert(changes === 1, `${after.id} is where it was`)
  }

  forgetPlaces(): void {
    this.#places.clear()
  }

  #findPlace(merchant: number, id: string): Place | undefined {
    return this.#statements
      .named(
        `place of ${this.#kind}`,
        (db) =>
          db
            .selectFrom(this.#kind as 'object')
            .select(PLACE_COLUMNS)
            .where('id', '=', arg<string>('id'))
            .where('merchant', '=', arg<number>('merchant')),
        (values) => placeFrom(values, 0),
      )
      .get({ id, merchant })
  }

  #remember(id: string, place: Place): void {
    if (this.#places.size === MOST_PLACES) this.#places.clear()
    this.#places.set(id, place)
  }
}
