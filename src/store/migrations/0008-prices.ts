import type Sqlite from 'better-sqlite3'

/**
 * Adds prices with decimal amounts, tiers and packages, whose `unit_amount` can be null, and the default prices of products.
 * SQLite cannot make a column nullable, so a new column takes the place of the old one. Keyframes get the initial values of the
 * new fields, because a field that an entry lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table price rename column unit_amount to former_amount;
    alter table price add column unit_amount integer;
    update price set unit_amount = former_amount;
    alter table price drop column former_amount;
    alter table price add column unit_amount_decimal text;
    alter table price add column tiers_mode text;
    alter table price add column tiers text;
    alter table price add column transform_quantity text;
    alter table invoice_item rename column unit_amount to former_amount;
    alter table invoice_item add column unit_amount integer;
    update invoice_item set unit_amount = former_amount;
    alter table invoice_item drop column former_amount;
    alter table product add column default_price text;
    update keyframe set state = json_set(
      state, '$.unit_amount_decimal', null, '$.tiers_mode', null, '$.tiers', null, '$.transform_quantity', null)
      where kind = 2;
    update keyframe set state = json_set(state, '$.default_price', null) where kind = 1`)
}
