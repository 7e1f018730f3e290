import type Sqlite from 'better-sqlite3'

/**
 * Adds subscription schedules. The positions of a subscription's jobs become multiples of ten, so that a new kind of job
 * can run between others of the same second. Keyframes get the initial value of the new field.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table subscription add column schedule text;
    create table subscription_schedule (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      status text not null, customer text not null, subscription text, released_subscription text, current_phase text,
      phases text not null, default_settings text not null, end_behavior text not null, canceled_at integer,
      completed_at integer, released_at integer, expiring_at integer, metadata text not null, test_clock text,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index subscription_schedule_merchant on subscription_schedule (merchant);
    create index subscription_schedule_customer on subscription_schedule (customer);
    update job set position = 10 * position where subscription <> '';
    update keyframe set state = json_set(state, '$.schedule', null) where kind = 4`)
}
