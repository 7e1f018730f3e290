import type Sqlite from 'better-sqlite3'

/**
 * Adds `deleted` to the indexes by which lists find objects that can be deleted, so that they do not read thousands of deleted ones. The
 * indexes keep the deleted rows, because timelines and past states read these too. Changes of plans read all prorations of a customer in
 * their order, so these get an index.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    drop index customer_email;
    create index customer_email on customer (merchant, email, deleted) where email is not null;
    drop index customer_test_clock;
    create index customer_test_clock on customer (test_clock, deleted) where test_clock is not null;
    drop index invoice_status;
    create index invoice_status on invoice (merchant, status, deleted);
    drop index invoice_customer;
    create index invoice_customer on invoice (customer, deleted);
    drop index invoice_item_customer;
    create index invoice_item_customer on invoice_item (customer, deleted);
    drop index invoice_item_invoice;
    create index invoice_item_invoice on invoice_item (invoice, deleted);
    create index invoice_item_customer_proration on invoice_item (customer) where proration is not null`)
}
