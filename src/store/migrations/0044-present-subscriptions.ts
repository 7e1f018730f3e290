import type Sqlite from 'better-sqlite3'

/**
 * Adds an index of a customer's subscriptions that have not ended. That of those that are not canceled also has the expired ones, of which a
 * customer can have many.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create index subscription_not_ended on subscription (customer)
      where status <> 'canceled' and status <> 'incomplete_expired'`)
}
