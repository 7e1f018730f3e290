import type Sqlite from 'better-sqlite3'

/**
 * Adds credit notes, and what they changed on invoices and balances. Keyframes get the initial values of the new fields,
 * because a field that a keyframe lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table invoice add column pre_payment_credit_notes_amount integer not null default 0;
    alter table invoice add column post_payment_credit_notes_amount integer not null default 0;
    alter table customer_balance_transaction add column credit_note text;
    create table credit_note (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      status text not null, number text not null, customer text not null, invoice text not null,
      currency text not null, amount integer not null, pre_payment_amount integer not null,
      post_payment_amount integer not null, refund_amount integer not null, credit_amount integer not null,
      out_of_band_amount integer not null, refund text, customer_balance_transaction text, lines text not null,
      reason text, memo text, metadata text not null, voided_at integer, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index credit_note_invoice on credit_note (invoice);
    create index credit_note_customer on credit_note (customer);
    create index credit_note_merchant on credit_note (merchant);
    update keyframe set state = json_set(
      state, '$.pre_payment_credit_notes_amount', 0, '$.post_payment_credit_notes_amount', 0)
      where kind = 5;
    update keyframe set state = json_set(state, '$.credit_note', null) where kind = 12`)
}
