import type Sqlite from 'better-sqlite3'

const TABLES = ['merchant', 'api_key', 'oauth_authorization', 'oauth_token']

/** Renames the number of a merchant that is never used again from `birth` to `generation`. */
export function up(database: Sqlite.Database): void {
  for (const table of TABLES) database.exec(`alter table ${table} rename column birth to generation`)
  database.exec("update setting set name = 'generations' where name = 'births'")
}
