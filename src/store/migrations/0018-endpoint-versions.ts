import type Sqlite from 'better-sqlite3'

/**
 * Stores the API version of the events that a webhook endpoint receives. Keyframes get the initial value, because a field that an
 * entry lacks is shown with its current value.
 */
export function up(database: Sqlite.Database): void {
  database.exec('alter table webhook_endpoint add column api_version text')
  database.exec("update keyframe set state = json_set(state, '$.api_version', null) where kind = 10")
}
