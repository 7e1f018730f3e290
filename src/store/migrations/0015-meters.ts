import type Sqlite from 'better-sqlite3'

/**
 * Adds meters and their events. The index of usage has all columns that a sum reads, so that the events of a period are
 * adjacent and their rows are not read.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table billing_meter (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      display_name text not null, event_name text not null, status text not null, default_aggregation text not null,
      customer_mapping text not null, value_settings text not null, updated integer not null, deactivated_at integer,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index billing_meter_merchant on billing_meter (merchant);
    create index billing_meter_event_name on billing_meter (merchant, event_name);
    create index billing_meter_status on billing_meter (merchant, status);
    create table meter_event (
      seq integer primary key, merchant integer not null, customer text not null, meter text not null,
      timestamp integer not null, created integer not null, canceled integer, whole integer not null,
      fraction integer not null, identifier text not null) strict;
    create index meter_event_usage on meter_event
      (customer, meter, timestamp, seq, created, canceled, whole, fraction);
    create unique index meter_event_identifier on meter_event (merchant, identifier)`)
}
