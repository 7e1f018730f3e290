import type Sqlite from 'better-sqlite3'

/** Adds events of test clocks. */
export function up(database: Sqlite.Database): void {
  database.exec(`
    create table clock_event (
      seq integer primary key, merchant integer not null, number integer not null, type integer not null,
      created integer not null, place real not null, place_in_all real not null, clock text not null,
      api_version integer not null, request text, idempotency_key text) strict;
    create index clock_event_place on clock_event (merchant, place);
    create index clock_event_place_in_all on clock_event (place_in_all);
    create index clock_event_number on clock_event (merchant, number)`)
}
