import type Sqlite from 'better-sqlite3'

/** Adds indexes by which the housekeeping finds expired OAuth requests, codes and tokens. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create index oauth_token_expiry on oauth_token (generation, expires);
    create index oauth_authorization_code_expiry on oauth_authorization (generation, code_expires)
      where code_expires is not null;
    create index oauth_authorization_pending on oauth_authorization (expires) where status = 'pending';
    create index oauth_authorization_expiry on oauth_authorization (expires) where code_expires is null`)
}
