import type Sqlite from 'better-sqlite3'

/**
 * Adds indexes of the few invoices and invoice items that billing decisions read. They contain no paid invoices, so
 * they add no disk space or time for customers who pay.
 */
const INDEXES: readonly string[] = [
  `create index invoice_outstanding on invoice (customer, subscription)
    where status = 'open' and (collection_method = 'charge_automatically' or overdue = 1)`,
  'create index invoice_to_retry on invoice (subscription) where next_payment_attempt is not null',
  'create index invoice_item_waiting on invoice_item (customer) where invoice is null and deleted = 0',
  'create index invoice_item_pending on invoice_item (merchant) where invoice is null and deleted = 0',
]

export function up(database: Sqlite.Database): void {
  for (const statement of INDEXES) database.exec(statement)
}
