import type Sqlite from 'better-sqlite3'

/** Stores which mail the customers of a merchant get: invoices, for merchants with Stripe's API. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table merchant add column mails text not null default '[]';
    update merchant set mails = '[{"after":0,"on":["invoice"]}]' where dialect = 'stripe'`)
}
