import type Sqlite from 'better-sqlite3'

/** Stores the dialect of a merchant, and how a subscription waits for its first payment. */
export function up(database: Sqlite.Database): void {
  database.exec("alter table merchant add column dialect text not null default 'paytwin'")
  database.exec('alter table subscription add column expires_at integer')
  database.exec('alter table subscription add column saves_payment_method integer not null default 0')
}
