import type Sqlite from 'better-sqlite3'

/** Adds what discounts of a fixed amount took off a subscription's items. What they took before is not known: it counts as nothing. */
export function up(database: Sqlite.Database): void {
  database.exec('alter table subscription add column amounts_off text')
}
