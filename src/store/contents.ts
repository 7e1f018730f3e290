import type Sqlite from 'better-sqlite3'
import { checkPages } from './inspect.ts'

/**
 * Tables that are not part of snapshots: keys, apps and OAuth grants, so that a revocation survives a restore, and
 * settings.
 * See docs/contract/snapshots.md#contents.
 */
const EXCLUDED_TABLES: readonly string[] = [
  'api_key',
  'oauth_app',
  'oauth_authorization',
  'oauth_token',
  'setting',
]

/** The id prefixes of the rows in those tables. Their counters are excluded too, so that no id is reused. */
const EXCLUDED_PREFIXES: readonly string[] = ['key', 'app', 'oauthz']

/** Returns the SQL condition on a table's rows that are part of snapshots: all rows, except for some counters. */
const conditionOf = (table: string): string =>
  table === 'counter'
    ? ` where not (merchant = 0 and prefix in (${EXCLUDED_PREFIXES.map((prefix) => `'${prefix}'`).join()}))`
    : ''

/** Returns the SQL name of the table that rows are copied from. */
export type Source = (table: string) => string

/** Lists the tables that are part of snapshots. */
export const contentTables = (database: Sqlite.Database): string[] =>
  tablesOf(database).filter((table) => !EXCLUDED_TABLES.includes(table))

/**
 * Deletes all rows that are part of snapshots, within the open transaction, and checks what is left. If two tables share a page of a
 * damaged database, SQLite frees it twice without an error, and new rows would overwrite each other.
 * @throws SqliteError SQLITE_CORRUPT
 */
export function deleteContents(database: Sqlite.Database): void {
  for (const table of contentTables(database)) database.exec(`delete from main.${table}${conditionOf(table)}`)
  // Few pages are in use now. Only files can be damaged.
  if (!database.memory) checkPages(database)
}

/** Replaces all rows that are part of snapshots, within the open transaction. @throws SqliteError SQLITE_CORRUPT */
export function refill(database: Sqlite.Database, source: Source): void {
  deleteContents(database)
  for (const table of contentTables(database)) {
    // SQLite copies whole rows between equal tables without decoding them, if no row is left out.
    database.exec(`insert into main.${table} select * from ${source(table)}${conditionOf(table)}`)
  }
}

/** Identifies a merchant. Before a restore, or in a snapshot, another merchant may have the same ordinal. */
export type Identity = { readonly ordinal: number; readonly generation: number; readonly id: string }

/**
 * Deletes every row that belongs to a merchant, within the open transaction. Its revoked keys stay: if fixtures of a
 * reset give the same secret again, it is still revoked.
 */
export function deleteMerchantRows(database: Sqlite.Database, { ordinal, generation, id }: Identity): void {
  for (const table of tablesOf(database)) {
    const columns = columnsOf(database, table)
    if (!columns.includes('merchant')) continue
    const ofGeneration = columns.includes('generation') ? ' and generation = :generation' : ''
    const kept = table === 'api_key' ? ' and revoked is null' : ''
    database
      .prepare(`delete from ${table} where merchant = :ordinal${ofGeneration}${kept}`)
      .run({ ordinal, generation })
  }
  // A scope is the merchant's id, or begins with the id and a space.
  database
    .prepare("delete from idempotency where substr(scope || ' ', 1, length(?) + 1) = ? || ' '")
    .run(id, id)
  database.prepare('delete from merchant where ordinal = ?').run(ordinal)
}

const tablesOf = (database: Sqlite.Database): string[] =>
  database
    .prepare("select name from main.sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all() as string[]

const columnsOf = (database: Sqlite.Database, table: string): unknown[] =>
  database.prepare('select name from pragma_table_info(?)').pluck().all(table)
