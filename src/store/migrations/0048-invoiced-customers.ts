import type Sqlite from 'better-sqlite3'

/** Adds what a finalized invoice shows of its customer. What earlier ones showed is not known: they show the customer as it is now. */
export function up(database: Sqlite.Database): void {
  database.exec('alter table invoice add column customer_details text')
}
