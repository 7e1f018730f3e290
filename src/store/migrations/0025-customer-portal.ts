import type Sqlite from 'better-sqlite3'

/** Adds the configurations and sessions of the customer portal. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table billing_portal_configuration (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      updated integer not null, active integer not null, is_default integer not null, name text, default_return_url text,
      business_profile text not null, features text not null, metadata text not null,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index billing_portal_configuration_merchant on billing_portal_configuration (merchant);
    create table billing_portal_session (
      seq integer primary key, id text not null unique, merchant integer not null, created integer not null,
      customer text not null, configuration text not null, return_url text, locale text, flow text,
      is_flow_done integer not null, expires_at integer not null,
      newest_entry integer, entry_count integer not null default 0) strict;
    create index billing_portal_session_merchant on billing_portal_session (merchant)`)
}
