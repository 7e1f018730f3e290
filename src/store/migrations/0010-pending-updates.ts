import type Sqlite from 'better-sqlite3'

/**
 * Adds the pending updates of subscriptions. Keyframes get the initial value, because a field that an entry lacks is shown with
 * its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table subscription add column pending_update text;
    update keyframe set state = json_set(state, '$.pending_update', null) where kind = 4`)
}
