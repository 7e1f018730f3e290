import type Sqlite from 'better-sqlite3'

/** Adds an index by which the draft of a subscription that is finalized next is found among thousands of invoices with retries. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create index invoice_waiting on invoice (subscription, next_payment_attempt, id)
      where status = 'draft' and next_payment_attempt is not null and deleted = 0`)
}
