import type Sqlite from 'better-sqlite3'

/**
 * Adds the columns to the indexes of open invoices that their sums, orders and counts need. In a row, they come after the lines, which
 * can be long.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    drop index invoice_open;
    create index invoice_owed on invoice
      (customer, subscription, currency, total, amount_paid, next_payment_attempt, due_date, overdue, status)
      where status = 'open';
    drop index invoice_outstanding;
    create index invoice_outstanding on invoice
      (customer, subscription, attempted, overdue, collection_method, status)
      where status = 'open' and (collection_method = 'charge_automatically' or overdue = 1)`)
}
