import type Sqlite from 'better-sqlite3'

/**
 * Adds an index of the payment intents (kind 6) that moved from one customer to another: their rows have only the
 * current customer. The index is nearly always empty, since few intents move.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`create index journal_moved on journal (json_extract(replaced, '$.customer'))
    where kind = 6 and json_extract(replaced, '$.customer') is not null`)
}
