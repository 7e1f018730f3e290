import type Sqlite from 'better-sqlite3'

/** Adds an index by which an app's requests that no merchant has answered are found among those of others. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create index oauth_authorization_unanswered on oauth_authorization (app, expires)
      where code_expires is null and merchant is null`)
}
