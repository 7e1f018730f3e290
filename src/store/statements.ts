import type Sqlite from 'better-sqlite3'
import {
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { Tables } from './tables.ts'

/** Builds and compiles queries, and never runs one. */
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

/** A value that is given each time the statement runs, under this name. */
export const arg = <T>(name: string): T => new Placeholder(name) as T

/**
 * A number that is part of the query, whose name then has to tell of it. SQLite makes a new plan each time a value is given on
 * which plans depend, which takes ten times as long as to run it: a limit, or what a partial index asks for.
 */
export const literal = (value: number) => sql.lit(value)

export type Values = Readonly<Record<string, unknown>>

/** Makes a row as it is wanted of the values of its columns, in order. */
export type Reader<Row> = (values: readonly unknown[]) => Row

/** A query that was compiled by Kysely once and is run by better-sqlite3 from then on. */
export class Statement<Row> {
  readonly #prepared: Sqlite.Statement
  readonly #parameters: readonly unknown[]
  /** The names of the parameters that are given at each run, each in its place. */
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

  /** @returns the rowid of the row inserted last */
  run(values: Values): number {
    return Number(this.#prepared.run(...this.#bind(values)).lastInsertRowid)
  }

  /**
   * Runs it with the values in the order in which the query asks for them, which is quicker where there are many.
   * @returns how many rows it wrote, and the rowid of the one inserted last
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
  // Copies of one record all have one shape, which is what makes it fast to read them.
  const blank = Object.fromEntries(columns.map((name) => [name, null]))
  return (values) => {
    const row: Record<string, unknown> = { ...blank }
    columns.forEach((name, place) => {
      row[name] = values[place]
    })
    return row as Row
  }
}

/** The statements of one database, each compiled when it is first asked for. */
export class Statements {
  readonly #database: Sqlite.Database
  readonly #cache = new Map<string, Statement<unknown>>()
  readonly #texts = new Map<string, string>()

  constructor(database: Sqlite.Database) {
    this.#database = database
  }

  /** The SQL of all statements so far, by name. */
  get texts(): ReadonlyMap<string, string> {
    return this.#texts
  }

  /**
   * The statement of this name.
   * @param name - stands for the query: equal names must mean equal queries
   * @param build - the query, with `arg` where a value is given later
   * @param read - what is made of a row, where that is not a record of its columns
   */
  named<Row>(
    name: string,
    build: (db: Kysely<Tables>) => Compilable<unknown>,
    read?: Reader<Row>,
  ): Statement<Row> {
    let statement = this.#cache.get(name)
    if (!statement) {
      const { sql, parameters } = build(builder).compile()
      statement = new Statement<unknown>(this.#database.prepare(sql), parameters, read)
      this.#cache.set(name, statement)
      this.#texts.set(name, sql)
    }
    return statement as Statement<Row>
  }
}
