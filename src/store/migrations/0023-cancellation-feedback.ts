import type Sqlite from 'better-sqlite3'

/**
 * Adds what customers say about the cancellation of subscriptions. Keyframes get its initial value, because a field that
 * an entry lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table subscription add column cancellation_feedback text;
    update keyframe set state = json_set(state, '$.cancellation_feedback', null) where kind = 4`)
}
