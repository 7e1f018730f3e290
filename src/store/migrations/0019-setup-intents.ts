import type Sqlite from 'better-sqlite3'

/**
 * Adds setup intents, and what only requests in Stripe's API set of payment intents and payment methods. Keyframes get the
 * initial values of the new public fields, because a field that an entry lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table setup_intent (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      status text not null, customer text, payment_method text, usage text not null, options text not null,
      subscription text, last_setup_error text, cancellation_reason text, description text, metadata text not null,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index setup_intent_customer on setup_intent (customer);
    create index setup_intent_payment_method on setup_intent (payment_method);
    create index setup_intent_merchant on setup_intent (merchant);
    alter table payment_method add column is_set_up integer not null default 0;
    alter table payment_intent add column options text;
    alter table subscription add column pending_setup_intent text;
    update keyframe set state = json_set(state, '$.options', null) where kind = 6;
    update keyframe set state = json_set(state, '$.pending_setup_intent', null) where kind = 4`)
}
