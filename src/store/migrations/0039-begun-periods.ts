import type Sqlite from 'better-sqlite3'

/**
 * Adds a column for invoices of updates that began a period. Their lines told it before: all bill usage, or correct a period that the new
 * one replaced. So did the lines of a change whose lines were all removed.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table invoice add column begins_period integer not null default 0;
    update invoice set begins_period = 1
      where billing_reason = 'subscription_update' and not exists (
        select 1 from json_each(invoice.lines)
        where value ->> '$.is_discarded' is not null
        or (value ->> '$.proration.is_usage' is not 1 and value ->> '$.is_replaced' is null))`)
}
