import type Sqlite from 'better-sqlite3'

/**
 * What snapshots leave as it is, in the database and in themselves: keys, apps and what they were granted, so that a revocation
 * survives, and settings.
 * See docs/contract/snapshots.md#contents.
 */
const TABLES_APART: readonly string[] = [
  'api_key',
  'oauth_app',
  'oauth_authorization',
  'oauth_token',
  'setting',
]

/** The id prefixes of what is in those tables. Their counters stay too, so that no id is given twice. */
const PREFIXES_APART: readonly string[] = ['key', 'app', 'oauthz']

/** The rows that count: all of them, but for those of the counters. */
const insideOf = (table: string): string =>
  table === 'counter'
    ? ` where not (merchant = 0 and prefix in (${PREFIXES_APART.map((prefix) => `'${prefix}'`).join()}))`
    : ''

/** Where the rows of a table come from, as SQL names it. */
export type Source = (table: string) => string

/** The tables that snapshots hold. */
export const contentTables = (database: Sqlite.Database): string[] =>
  tablesOf(database).filter((table) => !TABLES_APART.includes(table))

/** Empties all that snapshots hold, within the transaction under way. */
export function empty(database: Sqlite.Database): void {
  for (const table of contentTables(database)) database.exec(`delete from main.${table}${insideOf(table)}`)
}

/** Puts other rows in place of all that snapshots hold, within the transaction under way. */
export function refill(database: Sqlite.Database, source: Source): void {
  empty(database)
  for (const table of contentTables(database)) {
    // Where the whole row is taken and no row left out, SQLite copies between equal tables without looking inside.
    database.exec(`insert into main.${table} select * from ${source(table)}${insideOf(table)}`)
  }
}

/** What tells a merchant from all others, also from those that had its ordinal before a restore, or have it in a snapshot. */
export type Identity = { readonly ordinal: number; readonly birth: number; readonly id: string }

/**
 * Deletes every row that belongs to a merchant, within the transaction under way. Only its revoked keys stay: should the same
 * secret be given again, by fixtures at a reset, it is still revoked.
 */
export function forget(database: Sqlite.Database, { ordinal, birth, id }: Identity): void {
  for (const table of tablesOf(database)) {
    const columns = columnsOf(database, table)
    if (!columns.includes('merchant')) continue
    const born = columns.includes('birth') ? ' and birth = :birth' : ''
    const kept = table === 'api_key' ? ' and revoked is null' : ''
    database.prepare(`delete from ${table} where merchant = :ordinal${born}${kept}`).run({ ordinal, birth })
  }
  // A scope is the merchant's id, or that and something more.
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
