import type Sqlite from 'better-sqlite3'

/** Adds disputes. Keyframes get the initial value of the charges' new field, because a field that they lack is shown as it is now. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table charge add column dispute text;
    create table dispute (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      status text not null, amount integer not null, currency text not null, charge text not null,
      payment_intent text not null, reason text not null, evidence text not null, due_by integer not null,
      submission_count integer not null, metadata text not null, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index dispute_charge on dispute (charge);
    create index dispute_payment_intent on dispute (payment_intent);
    create index dispute_merchant on dispute (merchant);
    update keyframe set state = json_set(state, '$.dispute', null) where kind = 7`)
}
