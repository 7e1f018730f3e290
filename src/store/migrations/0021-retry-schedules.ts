import type Sqlite from 'better-sqlite3'

/** Stores the retry schedule of a merchant. */
export function up(database: Sqlite.Database): void {
  database.exec("alter table merchant add column retry_schedule text not null default '[1,3,5,7]'")
}
