import type Sqlite from 'better-sqlite3'

/**
 * Adds coupons, promotion codes and discounts. Keyframes get the initial values of the new fields, because a field that an
 * entry lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table coupon (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      public_id text not null, name text, percent_off text, amount_off integer, currency text,
      duration text not null, duration_in_months integer, max_redemptions integer, redeem_by integer, applies_to text,
      times_redeemed integer not null, valid integer not null, metadata text not null, deleted integer not null,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index coupon_merchant on coupon (merchant) where deleted = 0;
    create index coupon_public_id on coupon (public_id);
    create table promotion_code (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      code text not null, code_key text not null, coupon text not null, customer text, expires_at integer,
      max_redemptions integer, restrictions text not null, active integer not null, times_redeemed integer not null,
      metadata text not null, newest_entry integer, entry_count integer not null default 0) strict;
    create index promotion_code_merchant on promotion_code (merchant);
    create index promotion_code_key on promotion_code (code_key);
    create index promotion_code_customer on promotion_code (customer) where customer is not null;
    create index promotion_code_coupon on promotion_code (coupon);
    create table discount (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      customer text not null, subscription text, subscription_item text, invoice text, invoice_item text,
      coupon text not null, promotion_code text, terms text not null, start integer not null, "end" integer,
      used_by text, deleted integer not null, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index discount_customer on discount (customer);
    create index discount_subscription on discount (subscription) where subscription is not null;
    alter table customer add column discount text;
    alter table subscription add column discounts text not null default '[]';
    alter table invoice add column discounts text not null default '[]';
    alter table invoice_item add column discountable integer not null default 1;
    alter table invoice_item add column discounts text not null default '[]';
    update invoice_item set discountable = 0
      where proration is not null and json_extract(proration, '$.is_usage') is null;
    update keyframe set state = json_set(state, '$.discount', null) where kind = 0;
    update keyframe set state = json_set(state, '$.discounts', json('[]')) where kind in (4, 5);
    update keyframe set state = json_set(
      state, '$.discountable',
      json(iif(json_extract(state, '$.proration') is null or json_extract(state, '$.proration.is_usage'), 'true', 'false')),
      '$.discounts', json('[]'))
      where kind = 9`)
}
