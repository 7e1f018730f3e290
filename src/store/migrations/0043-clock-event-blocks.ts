import type Sqlite from 'better-sqlite3'

/**
 * Sums up the blocks of the events of test clocks, which have the kind -2: of each merchant, and with the merchant 0 of all.
 *
 * An index gets another name: each version of the schema is recognized by its parts, so that a damaged version neither repeats
 * nor omits this.
 */
export function up(database: Sqlite.Database): void {
  for (const owner of ['merchant', '0'])
    database.exec(`
      insert into block (kind, merchant, number, earliest, latest, types)
      select -2, ${owner}, seq / 256, min(created), max(created), sum(distinct 1 << type)
      from clock_event where seq / 256 < (select (max(seq) + 1) / 256 from clock_event) group by 2, 3`)
  database.exec(`
    drop index clock_event_number;
    create index clock_event_by_number on clock_event (merchant, number)`)
}
