import type Sqlite from 'better-sqlite3'
import { type Migrations, type Schemas, versionOf } from './migration.ts'
import { openSqlite } from './sqlite.ts'

/**
 * Compares a database's schema with the one that its version names: a damaged version would repeat or omit migrations. Parts
 * that no version of the schema has, such as an index that the user added, are ignored.
 * @param version - the version of its schema, at most the newest one
 * @returns the first difference; undefined without any
 */
export function schemaFaultIn(
  database: Sqlite.Database,
  version: number,
  { migrations, newestSchema }: Schemas,
): string | undefined {
  const isNewest = version === versionOf(migrations)
  if (version === 0 || (isNewest && newestSchema !== undefined && hasStatements(database, newestSchema)))
    return undefined
  const parts = partsOf(database)
  const expected = schemaAt(version, migrations)
  const newest = schemaAt(versionOf(migrations), migrations)
  const missing = [...expected.parts].find((part) => !parts.has(part))
  const early = [...parts].find((part) => newest.parts.has(part) && !expected.parts.has(part))
  if (missing !== undefined) return `schema ${version} requires ${missing}, which is missing`
  if (early !== undefined) return `it has ${early}, which schema ${version} does not`
  const moved = differentOrder(expected.columns, columnsIn(database))
  return moved && `the columns of table ${moved} have another order than in schema ${version}`
}

type Columns = ReadonlyMap<string, readonly string[]>

/**
 * Finds the first table whose columns are in another order than expected, apart from those that the user added. A restore copies values by
 * their places.
 */
const differentOrder = (expected: Columns, actual: Columns): string | undefined =>
  [...expected.keys()].find((table) => {
    const names = expected.get(table) ?? []
    const own = actual.get(table)?.filter((name) => names.includes(name)) ?? []
    return names.some((name, index) => own[index] !== name)
  })

/** What can run anything for the rows of a table, and comments, which could hide it. */
const CODE = /^create\s+(virtual|trigger|view)\b|\/\*|--|\bcheck\b|\bas\b|\bdefault\s*\(/i
const INDEX = /^create\s+(unique\s+)?index\b/i
/** An index of columns, without expressions and conditions. */
const PLAIN_INDEX = /^create\s+(unique\s+)?index\s+"?\w+"?\s+on\s+"?\w+"?\s*\([\s\w",]+\)$/i

type Part = { readonly type: string; readonly name: string; readonly sql: string }

/** Judges by the statement: a damaged type, such as `TRIGGER`, does not keep SQLite from running it. */
function isSuspect({ type, sql }: Part): boolean {
  if (type === 'view') return !/^create\s+view\b/i.test(sql)
  return INDEX.test(sql) ? !PLAIN_INDEX.test(sql) : CODE.test(sql)
}

/**
 * Finds the first trigger, virtual table, or table or index with conditions or expressions, that paytwin did not create: they may
 * never end. A view in place of a table is found by schemaFaultIn.
 * @param version - the version of its schema, at most the newest one
 * @returns its type and name; undefined when there is none
 */
export function foreignCodeIn(
  database: Sqlite.Database,
  version: number,
  schemas: Schemas,
): string | undefined {
  const parts = database.prepare<[], Part>('select type, name, sql from sqlite_master where sql is not null')
  const suspects = parts.all().filter(isSuspect)
  const own = suspects.length > 0 ? statementsAt(version, schemas) : []
  const foreign = suspects.find(({ sql }) => !own.includes(sql))
  return foreign && `${foreign.type} ${foreign.name}`
}

/** Returns the statements of the schema of a version. */
function statementsAt(version: number, { migrations, newestSchema }: Schemas): readonly unknown[] {
  if (version === versionOf(migrations) && newestSchema !== undefined) return statementsIn(newestSchema)
  return schemaAt(version, migrations).statements
}

const statementsIn = (schema: string): readonly string[] => schema.trim().split(/;\n|;$/)

/** Reports whether a database has all statements of a schema. One that another version of SQLite migrated may differ. */
function hasStatements(database: Sqlite.Database, schema: string): boolean {
  const own = new Set(database.prepare('select sql from sqlite_master').pluck().all())
  return statementsIn(schema).every((statement) => statement === '' || own.has(statement))
}

/** The schema of a version: its parts, the order of its columns, and its statements. */
type Schema = {
  readonly parts: ReadonlySet<string>
  readonly columns: Columns
  readonly statements: readonly unknown[]
}

/** The schemas that were read, by version. A database of an older schema is checked several times before it is migrated. */
const schemasRead = new WeakMap<Migrations, Map<number, Schema>>()

/** Returns the schema of a version. */
function schemaAt(version: number, migrations: Migrations): Schema {
  const schemas = schemasRead.get(migrations) ?? new Map<number, Schema>()
  const schema = schemas.get(version) ?? readSchema(version, migrations)
  schemasRead.set(migrations, schemas.set(version, schema))
  return schema
}

/** Reads the schema of a version from an empty database in memory. */
function readSchema(version: number, migrations: Migrations): Schema {
  const database = openSqlite(':memory:')
  try {
    for (const { up } of Object.values(migrations).slice(0, version)) up(database)
    return {
      parts: partsOf(database),
      columns: columnsIn(database),
      statements: database.prepare('select sql from sqlite_master').pluck().all(),
    }
  } finally {
    database.close()
  }
}

/** Returns the tables, columns and indexes of a database. */
function partsOf(database: Sqlite.Database): ReadonlySet<string> {
  const parts = database.prepare<[], string>(`
    select type || ' ' || name from sqlite_master where type in ('table', 'index') and name not like 'sqlite\\_%' escape '\\'
    union all
    select 'column ' || t.name || '.' || c.name from sqlite_master t, pragma_table_xinfo(t.name) c where t.type = 'table'`)
  return new Set(parts.pluck().all())
}

/** Returns the names of the columns of each table, in their order. */
function columnsIn(database: Sqlite.Database): Columns {
  const rows = database.prepare<[], { readonly owner: string; readonly name: string }>(`
    select t.name as owner, c.name from sqlite_master t, pragma_table_xinfo(t.name) c where t.type = 'table' order by owner, c.cid`)
  const columns = new Map<string, string[]>()
  for (const { owner, name } of rows.all()) {
    const names = columns.get(owner)
    if (names) names.push(name)
    else columns.set(owner, [name])
  }
  return columns
}
