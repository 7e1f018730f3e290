import type Sqlite from 'better-sqlite3'

/**
 * Adds bits for the types of events from the 54th on, which shared those of the first types. The blocks of the journal, which have the
 * kind -1, are summed up again.
 *
 * Sets clocks back that have ticked beyond the last instant, the end of the year 9999, or began before the first, 1970.
 */
export function up(database: Sqlite.Database): void {
  database.exec(`
    alter table block add column late_types integer not null default 0;
    update block set (types, late_types) = (
      select coalesce(sum(distinct 1 << type) filter (where type < 53), 0),
        coalesce(sum(distinct 1 << (type - 53)) filter (where type >= 53), 0)
      from journal
      where journal.seq between block.number * 256 and block.number * 256 + 255
        and +journal.number is not null and (block.merchant = 0 or +journal.merchant = block.merchant))
    where kind = -1`)
  for (const column of ['created', 'now', 'target'])
    database.exec(
      `update clock set ${column} = min(max(${column}, 0), 253402300799) where ${column} not between 0 and 253402300799`,
    )
}
