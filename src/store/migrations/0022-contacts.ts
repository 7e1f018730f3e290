import type Sqlite from 'better-sqlite3'

/**
 * Adds the contact of customers and the billing details of payment methods. Keyframes get their initial values, because a
 * field that an entry lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table customer add column contact text;
    alter table payment_method add column billing_details text;
    update keyframe set state = json_set(state, '$.contact', null) where kind = 0;
    update keyframe set state = json_set(state, '$.billing_details', null) where kind = 3`)
}
