import type Sqlite from 'better-sqlite3'

/**
 * Adds an index of the invoice items that are prorations: they count as billed on any invoice. The stored sums lack those that were moved
 * to other invoices, so they are computed anew.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create index invoice_item_proration on invoice_item (subscription) where proration is not null;
    delete from billed_period;
    alter table billed_period rename column waiting to corrections`)
}
