import type Sqlite from 'better-sqlite3'

/**
 * Adds indexes for queries that read many rows and used few: whether a customer has paid, its subscriptions and schedules that have
 * not ended, the failed deliveries of an endpoint, the default portal configuration, and lists by status, activity and type. The
 * items of subscriptions get a table, by which their subscriptions are found.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create index invoice_paid on invoice (customer) where status = 'paid';
    create index charge_without_invoice on charge (customer) where status = 'succeeded' and invoice is null;
    create index subscription_not_canceled on subscription (customer) where status <> 'canceled';
    create index subscription_schedule_unfinished on subscription_schedule (customer)
      where status not in ('canceled', 'completed', 'released');
    create index subscription_schedule_status on subscription_schedule (merchant, status);
    create index price_recurring on price (merchant) where recurring is not null;
    create index price_one_time on price (merchant) where recurring is null;
    create index price_product_active on price (product) where active = 1;
    create index promotion_code_activity on promotion_code (merchant, active);
    create index promotion_code_coupon_active on promotion_code (coupon) where active = 1;
    create index billing_portal_configuration_default on billing_portal_configuration (merchant) where is_default = 1;
    create index webhook_delivery_failed on webhook_delivery (endpoint) where status = 'failed';
    drop index invoice_item_to_bill;
    create index invoice_item_to_bill on invoice_item (customer, currency)
      where invoice is null and deleted = 0 and billed_with is null;
    create table item_use (
      merchant integer not null, item text not null, subscription integer not null,
      primary key (merchant, item, subscription)) strict, without rowid;
    insert into item_use (merchant, item, subscription)
      select merchant, item.value ->> '$.id', seq from subscription, json_each(subscription.items) as item`)
}
