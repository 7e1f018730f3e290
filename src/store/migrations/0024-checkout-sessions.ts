import type Sqlite from 'better-sqlite3'

/** Adds Checkout sessions. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table checkout_session (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      mode text not null, status text not null, payment_status text not null, currency text, customer text,
      customer_email text, customer_details text, details_email text, accepted_terms integer not null,
      client_reference_id text,
      lines text not null, amount_total integer, discounts text not null, settings text not null,
      outcomes text not null, payment_intent text, setup_intent text, subscription text, invoice text,
      recovered_from text, expires_at integer not null, metadata text not null, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index checkout_session_merchant on checkout_session (merchant);
    create index checkout_session_customer on checkout_session (customer) where customer is not null;
    create index checkout_session_email on checkout_session (details_email) where details_email is not null;
    create index checkout_session_payment_intent on checkout_session (payment_intent)
      where payment_intent is not null;
    create index checkout_session_setup_intent on checkout_session (setup_intent) where setup_intent is not null;
    create index checkout_session_subscription on checkout_session (subscription)
      where subscription is not null`)
}
