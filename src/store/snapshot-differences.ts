import type Sqlite from 'better-sqlite3'
import { KINDS, type Kind } from '../core/kinds.ts'
import { columnsOf, privateFieldsOf } from './columns.ts'
import type { Source } from './contents.ts'

/** How an object differs from a snapshot. */
export type Change = 'created' | 'changed' | 'removed'

/** An object that differs from a snapshot. Its merchant is an ordinal. */
export type Difference = {
  readonly kind: Kind
  readonly id: string
  readonly change: Change
  readonly merchant: number
}

export type Differences = {
  /** The number of objects that differ, for each kind that has some. */
  readonly counts: ReadonlyMap<Kind, Readonly<Record<Change, number>>>
  readonly first: readonly Difference[]
}

/**
 * Compares the objects of the database with those of a snapshot, in the fields that the API shows. Reads every row of both.
 * @param limit - how many differences are returned; all are counted
 */
export function differencesFrom(database: Sqlite.Database, source: Source, limit: number): Differences {
  const counts = new Map<Kind, Record<Change, number>>()
  const first: Difference[] = []
  for (const kind of KINDS) {
    const count = { created: 0, changed: 0, removed: 0 }
    for (const { id, change, merchant } of differencesOf(database, kind, source(kind))) {
      count[change] += 1
      if (first.length < limit) first.push({ kind, id, change, merchant })
    }
    if (Object.values(count).some((number) => number > 0)) counts.set(kind, count)
  }
  return { counts, first }
}

/** @param saved - the SQL name of the snapshot's table. Without an index on its ids, SQLite makes one for the query. */
function differencesOf(database: Sqlite.Database, kind: Kind, saved: string) {
  const hidden = privateFieldsOf(kind)
  const differs = Object.keys(columnsOf(kind))
    .filter((column) => !hidden.includes(column))
    .map((column) => `live."${column}" is not saved."${column}"`)
    .join(' or ')
  return database
    .prepare<[], Omit<Difference, 'kind'>>(
      `select live.id, live.merchant, case when saved.id is null then 'created' else 'changed' end as change
       from main.${kind} as live left join ${saved} as saved on saved.id = live.id
       where saved.id is null or ${differs}
       union all
       select id, merchant, 'removed' from ${saved} where id not in (select id from main.${kind})`,
    )
    .iterate()
}
