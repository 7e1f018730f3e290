import type Sqlite from 'better-sqlite3'

/** Finds all deliveries of an event, where the index had only pending ones. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    drop index webhook_delivery_event;
    create index webhook_delivery_by_event on webhook_delivery (event)`)
}
