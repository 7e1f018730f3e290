import type Sqlite from 'better-sqlite3'
import {
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
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

export type Values = Readonly<Record<string, unknown>>

/** A query that was compiled by Kysely once and is run by better-sqlite3 from then on. */
export class Statement<Row> {
  readonly #prepared: Sqlite.Statement
  readonly #parameters: readonly unknown[]

  constructor(prepared: Sqlite.Statement, parameters: readonly unknown[]) {
    this.#prepared = prepared
    this.#parameters = parameters
  }

  get(values: Values): Row | undefined {
    return this.#prepared.get(this.#bind(values)) as Row | undefined
  }

  all(values: Values): Row[] {
    return this.#prepared.all(this.#bind(values)) as Row[]
  }

  /** @returns the rowid of the row inserted last */
  run(values: Values): number {
    return Number(this.#prepared.run(this.#bind(values)).lastInsertRowid)
  }

  #bind(values: Values): unknown[] {
    return this.#parameters.map((parameter) =>
      parameter instanceof Placeholder ? values[parameter.name] : parameter,
    )
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
   */
  named<Row>(name: string, build: (db: Kysely<Tables>) => Compilable<Row>): Statement<Row> {
    let statement = this.#cache.get(name)
    if (!statement) {
      const { sql, parameters } = build(builder).compile()
      statement = new Statement<unknown>(this.#database.prepare(sql), parameters)
      this.#cache.set(name, statement)
      this.#texts.set(name, sql)
    }
    return statement as Statement<Row>
  }
}
