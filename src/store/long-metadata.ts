import { sql } from 'kysely'
import type { WithoutMetadata } from '../core/metadata.ts'
import { codecOf, LEFT_OUT, MAX_NESTED } from './codec.ts'
import { findById, type LookupById } from './damage.ts'
import type { Recent } from './recent.ts'
import { type Cached, recentObjects } from './recent-objects.ts'
import { literal, type Reader, type Statements } from './statements.ts'
import type { StoredKind, StoredObjects } from './stored-kind.ts'

type Short<K extends StoredKind> = Omit<Cached<unknown>, 'place' | 'object'> & {
  readonly object: WithoutMetadata<StoredObjects[K]>
}

/** Reads the objects of one kind without their metadata if it is long, and caches what it read. */
export class LongMetadata<K extends StoredKind> {
  readonly #kind: K
  readonly #statements: Statements
  readonly #columns: readonly string[]
  readonly #read: Reader<Cached<StoredObjects[K]>>
  readonly #byId: LookupById<Short<K>>
  readonly #recent: Recent<Short<K>>

  /**
   * @param given.columns - the columns that `read` requires
   * @param given.read - creates a whole object from a row of the columns, and caches it
   */
  constructor(
    kind: K,
    statements: Statements,
    given: {
      readonly columns: readonly string[]
      readonly read: Reader<Cached<StoredObjects[K]>>
      readonly objectsKept: number
    },
  ) {
    this.#kind = kind
    this.#statements = statements
    this.#columns = given.columns
    this.#read = given.read
    this.#byId = {
      name: `get ${kind} without metadata`,
      kind,
      columns: sql.join(given.columns.map(expressionOf)),
      read: this.#readRow,
    }
    this.#recent = recentObjects(given.objectsKept)
  }

  /** Returns the object with this id, whole if its metadata is short; undefined when the merchant has none. */
  get(merchant: number, id: string): WithoutMetadata<StoredObjects[K]> | undefined {
    const known = this.#recent.get(id)
    if (known) return known.merchant === merchant ? known.object : undefined
    const found = findById(this.#statements, this.#byId, id)
    return found?.merchant === merchant ? found.object : undefined
  }

  /** Creates an object from a row of the columns, and caches it. */
  readonly #readRow = (values: readonly unknown[]): Short<K> => {
    if (values[this.#columns.indexOf('metadata')] !== LEFT_OUT) return this.#read(values)
    const { decode, nestedLength } = codecOf(this.#kind)
    // Its metadata is `LEFT_OUT`, which the type hides.
    const object = decode(values)
    const merchant = Number(values[this.#columns.indexOf('merchant')])
    const short = { merchant, object, length: nestedLength(values) }
    this.#recent.set(object.id, short)
    return short
  }

  /** Clears the cache. Must be called when an object of the kind changes. */
  forget(): void {
    this.#recent.clear()
  }
}

/** SQL: the value of a column. Of long metadata, only the length is read. */
const expressionOf = (name: string) =>
  name === 'metadata'
    ? sql`iif(octet_length(metadata) > ${literal(MAX_NESTED)}, ${literal(LEFT_OUT)}, metadata)`
    : sql.ref(name)
