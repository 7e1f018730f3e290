import type Sqlite from 'better-sqlite3'

/** Deletes the sums of billed lines, which lack what discounts took off. They are computed anew from the invoices. */
export function up(database: Sqlite.Database): void {
  database.exec('delete from billed_period')
}
