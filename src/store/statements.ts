import type Sqlite from 'better-sqlite3'
import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { assert } from '../core/errors.ts'
import type { Tables } from './tables.ts'

/** Builds and compiles queries, but never runs one. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A placeholder for a value that each run of the statement gives under this name. */
export const arg = <T>(name: string): T => new Placeholder(name) as T

/**
 * Makes a number part of the query; the statement's name must then contain it. Use it for limits and for conditions of
 * partial indexes: SQLite prepares a statement again whenever a bound value affects its plan, which takes ten times as
 * long as a run.
 */
export const literal = (value: number) => sql.lit(value)

export type Values = Readonly<Record<string, unknown>>

/** Creates a row from the values of its columns, in order. */
export type Reader<Row> = (values: readonly unknown[]) => Row

/** How many rows of a query are read. */
type Within = {
  readonly maxLength: number
  readonly lengthOf: Reader<number>
  /** The number of rows that are read however long they are, 1 by default. */
  readonly least?: number
}

/** The first rows of a query. */
export type Cut<Row> = {
  readonly rows: readonly Row[]
  /** Whether further rows were left out, because they would be too long together. */
  readonly isCut: boolean
}

/** A query that Kysely compiled once, run by better-sqlite3. */
export class Statement<Row> {
  readonly #prepared: Sqlite.Statement
  readonly #parameters: readonly unknown[]
  /** For each parameter, the name under which a run gives its value; undefined for constants. */
  readonly #names: readonly (string | undefined)[]
  readonly #read: Reader<Row>

  constructor(prepared: Sqlite.Statement, parameters: readonly unknown[], read: Reader<Row> | undefined) {
    this.#prepared = prepared.reader ? prepared.raw() : prepared
    this.#parameters = parameters
    this.#names = parameters.map((parameter) =>
      parameter instanceof Placeholder ? parameter.name : undefined,
    )
    const columns = prepared.reader ? prepared.columns().map(({ name }) => name) : []
    this.#read = read ?? recordOf(columns)
  }

  get(values: Values): Row | undefined {
    const row = this.#prepared.get(...this.#bind(values)) as unknown[] | undefined
    return row && this.#read(row)
  }

  all(values: Values): Row[] {
    const rows = this.#prepared.all(...this.#bind(values)) as unknown[][]
    return rows.map((row) => this.#read(row))
  }

  /** Reads the first rows up to a total length. @returns their total length too */
  allWithin(
    values: Values,
    { maxLength, lengthOf, least = 1 }: Within,
  ): Cut<Row> & { readonly length: number } {
    const rows: Row[] = []
    let length = 0
    for (const row of this.#prepared.iterate(...this.#bind(values)) as IterableIterator<unknown[]>) {
      length += lengthOf(row)
      if (length > maxLength && rows.length >= least) return { rows, isCut: true, length }
      rows.push(this.#read(row))
    }
    return { rows, isCut: false, length }
  }

  /** @returns the rowid of the row inserted last */
  run(values: Values): number {
    return Number(this.#prepared.run(...this.#bind(values)).lastInsertRowid)
  }

  /** Runs a statement that must change exactly one row, such as an update of a row that was found in the same transaction. */
  runOnOne(values: Values): void {
    const { changes } = this.#prepared.run(...this.#bind(values))
    assert(changes === 1, `a statement for one row changes ${changes}`)
  }

  /**
   * Runs the statement with values in the order of its parameters, which is quicker for many values.
   * @returns the number of written rows, and the rowid of the last inserted one
   */
  runWith(...values: readonly unknown[]): { changes: number; last: number } {
    const { changes, lastInsertRowid } = this.#prepared.run(...values)
    return { changes, last: Number(lastInsertRowid) }
  }

  #bind(values: Values): unknown[] {
    const bound = this.#parameters.slice()
    this.#names.forEach((name, place) => {
      if (name !== undefined) bound[place] = values[name]
    })
    return bound
  }
}

/** Reads rows as records of their columns. */
function recordOf<Row>(columns: readonly string[]): Reader<Row> {
  // Copies of one record share a shape, which makes reading them fast.
  const blank = Object.fromEntries(columns.map((name) => [name, null]))
  return (values) => {
    const row: Record<string, unknown> = { ...blank }
    columns.forEach((name, place) => {
      row[name] = values[place]
    })
    return row as Row
  }
}

/** A statement takes some 35 kB, and clients can ask for millions of different lists. */
const MOST_KEPT = 2_000

type Query = Pick<CompiledQuery, 'sql' | 'parameters'>

/** The queries of all databases by name, because compiling them takes a quarter of the start of a sandbox in memory. */
const compiled = new Map<string, Query>()

/** Adds an entry. Of too many, removes the first one, so that finding an entry stays quick. */
function keep<Value>(map: Map<string, Value>, name: string, value: Value, most: number): void {
  map.set(name, value)
  if (map.size <= most) return
  const [first = ''] = map.keys()
  map.delete(first)
}

/** Compiles a query once. */
function queryOf(name: string, build: (db: Kysely<Tables>) => Compilable<unknown>): Query {
  const known = compiled.get(name)
  if (known) return known
  const { sql, parameters } = build(builder).compile()
  const query = { sql, parameters }
  keep(compiled, name, query, MOST_KEPT)
  return query
}

/**
 * The statements of one database, each prepared at its first use. Of too many the first ones are dropped, and prepared again
 * when they are needed.
 */
export class Statements {
  readonly #database: Sqlite.Database
  readonly #mostKept: number
  readonly #cache = new Map<string, Statement<unknown>>()
  readonly #texts = new Map<string, string>()

  constructor(database: Sqlite.Database, mostKept = MOST_KEPT) {
    this.#database = database
    this.#mostKept = mostKept
  }

  /** The SQL of the statements that are kept, by name. */
  get texts(): ReadonlyMap<string, string> {
    return this.#texts
  }

  /**
   * Returns the statement with this name.
   * @param name - identifies the query: equal names must mean equal queries, in all databases
   * @param build - the query, with `arg` for values that are given later
   * @param read - converts a row; without it, rows are records of their columns. That of the first call is kept, so it may use nothing
   *   that differs between calls
   */
  named<Row>(
    name: string,
    build: (db: Kysely<Tables>) => Compilable<unknown>,
    read?: Reader<Row>,
  ): Statement<Row> {
    let statement = this.#cache.get(name)
    if (!statement) {
      const { sql, parameters } = queryOf(name, build)
      statement = new Statement<unknown>(this.#database.prepare(sql), parameters, read)
      keep(this.#cache, name, statement, this.#mostKept)
      keep(this.#texts, name, sql, this.#mostKept)
    }
    return statement as Statement<Row>
  }

  /** Compiles a statement that is not kept, for queries of which there are too many to name. */
  once<Row>(query: { compile: (db: Kysely<Tables>) => CompiledQuery }, read?: Reader<Row>): Statement<Row> {
    const { sql, parameters } = query.compile(builder)
    return new Statement<Row>(this.#database.prepare(sql), parameters, read)
  }
}
