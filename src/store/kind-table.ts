import type { Kind, Objects } from '../core/change.ts'
import { assert } from '../core/errors.ts'
import { changedFields, decode, encoded, fieldsOf } from './codec.ts'
import { arg, type Reader, type Statements } from './statements.ts'

/** How many places are remembered: more than nearly all commands touch, and few enough to be at hand. */
const MOST_SEQS = 256

/** The table of one kind of object, one row each. */
export class KindTable<K extends Kind> {
  readonly #kind: K
  readonly #statements: Statements
  readonly #columns: readonly string[]
  /**
   * Where the objects are that were read or written last, so that their next change need not look for them. An id has one place as
   * long as the rows stay: when an insertion is taken back, nothing changes what it inserted, and the next one says where it is.
   */
  readonly #seqs = new Map<string, number>()

  constructor(kind: K, statements: Statements) {
    this.#kind = kind
    this.#statements = statements
    this.#columns = fieldsOf(kind).map(({ name }) => name)
  }

  /** The columns that `reader` takes. */
  get columns(): string[] {
    return [...this.#columns, 'seq']
  }

  /** Makes an object of a row of the columns, and remembers its place. */
  readonly reader: Reader<Objects[K]> = (values) => {
    const object = decode(this.#kind, values)
    this.#remember(object.id, values[this.#columns.length] as number)
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
    return this.#statements
      .named<{ seq: number }>(`seq of ${this.#kind}`, (db) =>
        db
          .selectFrom(this.#kind as 'object')
          .select('seq')
          .where('id', '=', arg<string>('id'))
          .where('merchant', '=', arg<number>('merchant')),
      )
      .get({ id, merchant })?.seq
  }

  /** @returns the new row's seq */
  insert(merchant: number, object: Objects[K]): number {
    const { last } = this.#statements
      .named(`insert ${this.#kind}`, (db) =>
        db.insertInto(this.#kind as 'object').values({
          merchant: arg<number>('merchant'),
          id: arg<string>('id'),
          created: arg<number>('created'),
          ...Object.fromEntries(this.#columns.map((name) => [name, arg(name)])),
        }),
      )
      .runWith([merchant, ...encoded(object, fieldsOf(this.#kind))])
    this.#remember(object.id, last)
    return last
  }

  /**
   * Writes the fields that changed.
   * @returns the row's seq
   */
  update(merchant: number, before: Objects[K], after: Objects[K]): number {
    const seq = this.#seqs.get(after.id) ?? this.seqOf(merchant, after.id)
    assert(seq, `${after.id} is there`)
    const fields = changedFields(this.#kind, before, after)
    if (fields.length === 0) return seq
    const names = fields.map(({ name }) => name)
    const { changes } = this.#statements
      .named(`update ${this.#kind} ${names.join(' ')}`, (db) =>
        db
          .updateTable(this.#kind as 'object')
          .set(Object.fromEntries(names.map((name) => [name, arg(name)])))
          .where('seq', '=', arg<number>('seq'))
          .where('id', '=', arg<string>('id')),
      )
      .runWith([...encoded(after, fields), seq, after.id])
    assert(changes === 1, `${after.id} is where it was`)
    return seq
  }

  forgetPlaces(): void {
    this.#seqs.clear()
  }

  #remember(id: string, seq: number): void {
    if (this.#seqs.size === MOST_SEQS) this.#seqs.clear()
    this.#seqs.set(id, seq)
  }
}
