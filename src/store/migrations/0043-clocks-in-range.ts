import type Sqlite from 'better-sqlite3'

/** Sets clocks back that have ticked beyond the last instant, the end of the year 9999, or began before the first, 1970. */
export function up(database: Sqlite.Database): void {
  for (const column of ['created', 'now', 'target'])
    database.exec(
      `update clock set ${column} = min(max(${column}, 0), 253402300799) where ${column} not between 0 and 253402300799`,
    )
}
