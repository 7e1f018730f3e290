import type Sqlite from 'better-sqlite3'

/** Stores the period before that of an invoice. */
export function up(database: Sqlite.Database): void {
  database.exec('alter table invoice add column previous_start integer')
}
