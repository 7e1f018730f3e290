import type Sqlite from 'better-sqlite3'

/** Adds an index of the pending deliveries of an event, which are few among all that were made for resends of it. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create index webhook_delivery_pending on webhook_delivery (event, attempt_count) where status = 'pending'`)
}
