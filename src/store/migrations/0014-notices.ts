import type Sqlite from 'better-sqlite3'

/**
 * Adds the settings and instants of notices, and the previews that their events show. Keyframes get the initial values, because a
 * field that an entry lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table merchant add column notices text not null default '{}';
    alter table subscription add column notices text;
    alter table invoice add column notices text;
    update keyframe set state = json_set(state, '$.notices', null) where kind in (4, 5);
    create table event_preview (
      entry integer primary key, merchant integer not null, invoice text not null) strict`)
}
