import type Sqlite from 'better-sqlite3'

/**
 * Replaces the index of codes by one of those that were not redeemed. The others are deleted with their last token. Deletes what an older
 * version would delete in its next housekeeping: redeemed codes whose tokens are gone.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    drop index oauth_authorization_code_expiry;
    create index oauth_authorization_issued on oauth_authorization (generation, code_expires) where code_status = 'issued';
    delete from oauth_authorization where code_status <> 'issued'
      and not exists (select 1 from oauth_token where "authorization" = oauth_authorization.seq)`)
}
