import type Sqlite from 'better-sqlite3'
import { SqliteError } from 'better-sqlite3'
import { openDatabase } from '../../src/store/database.ts'

/** 64 MB. A journal of a statement takes some 150 µs for them, other statements take up to 20. */
const CHANGED_PAGES = 16_000
const RUNS = 7
/** The number of measurements, of which the least counts: other programs can slow down all runs of one. */
const MEASUREMENTS = 5

const REFUSED = /constraint failed|^cannot store|^malformed JSON/

/**
 * Finds statements that have a journal of their own. SQLite keeps one to undo what a statement has written when it fails after its
 * first row, and adds it to that of the command. To end it takes time for each page that the command has changed before.
 *
 * SQLite does not tell which statements have one, so they are run after a large change, and their time tells.
 * @param texts - the SQL of statements that write, by name
 * @returns the names of those with a journal
 */
export async function withJournal(
  path: string,
  texts: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const database = await openDatabase(path, 'normal')
  try {
    database.exec('create table page (seq integer primary key, text text not null, mark integer)')
    database.exec(`insert into page (text)
      with recursive each (n) as (select 1 union all select n + 1 from each limit ${CHANGED_PAGES})
      select hex(zeroblob(1900)) from each`)
    database.exec('begin immediate; savepoint command; update page set mark = 1')
    const several = 'insert into page (text) values (1), (2)'
    // The first runs take several times as long.
    leastTime(database, several)
    const [slow, fast] = [leastTime(database, several), leastTime(database, several.split(', ')[0] ?? '')]
    if (slow < 8 * fast) throw new Error(`The journal of a statement took only ${slow} µs, none ${fast} µs`)
    return [...texts].filter(([, sql]) => leastTime(database, sql) > slow / 8).map(([name]) => name)
  } finally {
    database.close()
  }
}

const leastTime = (database: Sqlite.Database, sql: string): number =>
  Math.min(...Array.from({ length: MEASUREMENTS }, () => usualTime(database, sql)))

/**
 * Runs a statement with the same number for all of its values, and returns the median of its times in microseconds: a
 * journal seldom takes little.
 */
function usualTime(database: Sqlite.Database, sql: string): number {
  const statement = database.prepare(sql)
  const values = (number: number) => Array(sql.split('?').length - 1).fill(number)
  const times = Array.from({ length: RUNS }, (_, count) => {
    const before = process.hrtime.bigint()
    try {
      statement.run(values(count))
    } catch (error) {
      // Some values or rows are refused, which undoes what the statement has written.
      if (!(error instanceof SqliteError) || !REFUSED.test(error.message)) throw error
    }
    return Number(process.hrtime.bigint() - before) / 1_000
  })
  return times.sort((left, right) => left - right)[RUNS >> 1] ?? 0
}
