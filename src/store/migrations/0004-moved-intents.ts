import type Sqlite from 'better-sqlite3'

/**
 * Finds the payment intents (kind 6) that a customer had before another one: the row says only who has it now. The index is
 * nearly always empty, since few intents are moved.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`create index journal_moved on journal (json_extract(replaced, '$.customer'))
    where kind = 6 and json_extract(replaced, '$.customer') is not null`)
}
