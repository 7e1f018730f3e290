import type Sqlite from 'better-sqlite3'

/**
 * Begins the index of outstanding invoices with whether they were attempted or are overdue, so that the defaulted ones of a customer are
 * found among many that were never attempted. Its name is new, because a schema is recognized by the names of its parts.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    drop index invoice_outstanding;
    create index invoice_outstanding_by_attempt on invoice
      (customer, attempted, overdue, subscription, collection_method, status)
      where status = 'open' and (collection_method = 'charge_automatically' or overdue = 1)`)
}
