import type Sqlite from 'better-sqlite3'

/**
 * Indexes by a value that many merchants can use begin with the merchant, so that no merchant waits for the rows of another. Adds
 * indexes of the active promotion codes, and of Checkout sessions by status.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    drop index customer_email;
    drop index price_lookup_key;
    drop index coupon_public_id;
    drop index promotion_code_key;
    drop index checkout_session_email;
    create index customer_email on customer (merchant, email) where email is not null;
    create index price_lookup_key on price (merchant, lookup_key) where lookup_key is not null;
    create index coupon_public_id on coupon (merchant, public_id);
    create index promotion_code_key on promotion_code (merchant, code_key);
    create index promotion_code_active on promotion_code (merchant, code_key) where active = 1;
    create index checkout_session_email on checkout_session (merchant, details_email) where details_email is not null;
    create index checkout_session_status on checkout_session (merchant, status)`)
}
