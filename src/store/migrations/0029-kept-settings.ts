import type Sqlite from 'better-sqlite3'

/**
 * Adds the details of products and the payment settings of subscriptions, which Stripe's API keeps and shows. Keyframes
 * get their initial values, because a field that an entry lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table product add column details text;
    alter table subscription add column payment_settings text;
    update keyframe set state = json_set(state, '$.details', null) where kind = 1;
    update keyframe set state = json_set(state, '$.payment_settings', null) where kind = 4`)
}
