import type Sqlite from 'better-sqlite3'

/**
 * Adds an index of the pending invoice items by currency. A manual invoice bills one currency, and must not read a
 * customer's pending items in others.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`create index invoice_item_to_bill on invoice_item (customer, currency)
    where invoice is null and deleted = 0`)
}
