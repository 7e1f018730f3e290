import type Sqlite from 'better-sqlite3'
import { type Migrations, type Schemas, versionOf } from './migration.ts'
import { openSqlite } from './sqlite.ts'
import { damagedError } from './unusable.ts'

/**
 * Checks that a database has the schema that its version names: a damaged version would repeat or omit migrations. Parts that
 * no version of the schema has, such as an index that the user added, are ignored.
 * @param version - the version of its schema, at most the newest one
 * @throws DatabaseUnusable
 */
export function checkSchema(
  database: Sqlite.Database,
  path: string,
  version: number,
  { migrations, newestSchema }: Schemas,
): void {
  const isNewest = version === versionOf(migrations)
  if (version === 0 || (isNewest && newestSchema !== undefined && hasStatements(database, newestSchema)))
    return
  const parts = partsOf(database)
  const { expected, known } = partsAt(version, migrations)
  const missing = [...expected].find((part) => !parts.has(part))
  const early = [...parts].find((part) => known.has(part) && !expected.has(part))
  if (missing !== undefined)
    throw damagedError(path, `schema ${version} requires ${missing}, which is missing`)
  if (early !== undefined) throw damagedError(path, `it has ${early}, which schema ${version} does not`)
}

/** Reports whether a database has all statements of a schema. One that another version of SQLite migrated may differ. */
function hasStatements(database: Sqlite.Database, schema: string): boolean {
  const own = new Set(database.prepare('select sql from sqlite_master').pluck().all())
  return schema
    .trim()
    .split(/;\n|;$/)
    .every((statement) => statement === '' || own.has(statement))
}

/** Returns the parts of the schema of a version, and of the newest schema. */
function partsAt(version: number, migrations: Migrations) {
  const steps = Object.values(migrations)
  const database = openSqlite(':memory:')
  try {
    for (const { up } of steps.slice(0, version)) up(database)
    const expected = partsOf(database)
    for (const { up } of steps.slice(version)) up(database)
    return { expected, known: partsOf(database) }
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
