import type Sqlite from 'better-sqlite3'

/** Stores what was billed in a period of a subscription in which its plan changes. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table billed_period (
      subscription text primary key, merchant integer not null, cycle integer not null, beginning integer not null,
      through integer not null, sums text not null, waiting text not null) strict, without rowid`)
}
