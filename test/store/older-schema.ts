import type Sqlite from 'better-sqlite3'
import { openDatabase } from '../../src/store/database.ts'
import type { Migrations } from '../../src/store/migration.ts'

/** Columns that later schemas name otherwise. */
const RENAMED = new Map<unknown, string>([
  ['birth', 'generation'],
  ['waiting', 'corrections'],
])

/** The expressions of older columns. Before a migration, the positions of jobs were not multiples of ten. */
const expressionsOf = (migrations: Migrations, table: string, names: readonly unknown[]): string[] =>
  names.map((name) =>
    table === 'job' && name === 'position' && !('0012-schedules' in migrations)
      ? "iif(subscription = '', position, position / 10)"
      : `"${name}"`,
  )

export const tablesOf = (database: Sqlite.Database): string[] =>
  database
    .prepare("select name from main.sqlite_schema where type = 'table' order by name")
    .pluck()
    .all() as string[]

/** Writes the rows of a database into a new one of an older schema. */
export async function writeInSchema(
  migrations: Migrations,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const database = await openDatabase(to, 'normal', migrations)
  database.prepare('attach ? as source').run(from)
  for (const table of tablesOf(database)) {
    const columns = database.prepare('select name from pragma_table_info(?)').pluck().all(table)
    const quoted = (names: readonly unknown[]) => names.map((name) => `"${name}"`).join()
    const newest = columns.map((name) => RENAMED.get(name) ?? name)
    database.exec(
      `insert into main.${table} (${quoted(columns)}) select ${expressionsOf(migrations, table, newest).join()} from source.${table}`,
    )
  }
  database.close()
}
