import type Sqlite from 'better-sqlite3'
import { KINDS, type Kind } from '../core/kinds.ts'
import { nestedOf } from './codec.ts'
import { columnsOf, privateFieldsOf } from './columns.ts'
import type { Source } from './contents.ts'

/** The difference between an object and its state in a snapshot. */
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

/** The number of rows that a step compares, and the size of their nested values in bytes: some milliseconds of work. */
const ROWS_OF_A_STEP = 500
const BYTES_OF_A_STEP = 4_194_304

type Side = 'live' | 'saved'
/** Each kind is compared from both sides: objects that are new or have changed, and those that are missing. */
const TASKS: readonly { readonly kind: Kind; readonly side: Side }[] = KINDS.flatMap((kind) => [
  { kind, side: 'live' },
  { kind, side: 'saved' },
])

/**
 * Compares the objects of the database with those of a snapshot, in the fields that the API shows. It reads every row of both,
 * in steps, so that others can be served between them.
 */
export class Comparison {
  readonly #database: Sqlite.Database
  readonly #limit: number
  readonly #counts = new Map<Kind, Record<Change, number>>()
  readonly #first: Difference[] = []
  #task = 0
  /** The rowid of the last row of the task that was compared. */
  #after = 0

  /** @param limit - the maximum number of returned differences; all are counted */
  constructor(database: Sqlite.Database, limit: number) {
    this.#database = database
    this.#limit = limit
  }

  get differences(): Differences {
    return { counts: this.#counts, first: this.#first }
  }

  /** Compares the next rows. @returns whether more are left */
  step(source: Source): boolean {
    const task = TASKS[this.#task]
    if (task === undefined) return false
    const { kind, side } = task
    const saved = source(kind)
    const last = this.#lastOfStep(kind, side === 'live' ? `main.${kind}` : saved)
    if (last === null) {
      this.#task += 1
      this.#after = 0
      return this.#task < TASKS.length
    }
    const rows = this.#database
      .prepare<[number, number], Omit<Difference, 'kind'>>(
        side === 'live' ? changedSince(kind, saved) : removedSince(kind, saved),
      )
      .iterate(this.#after, last)
    for (const difference of rows) this.#add({ kind, ...difference })
    this.#after = last
    return true
  }

  /** Returns the rowid of the last row of the next step; null if no row is left. */
  #lastOfStep(kind: Kind, table: string): number | null {
    // The sizes are read without the values.
    return this.#database
      .prepare(
        `select max(place) from (
           select place, sum(size) over (order by place rows between unbounded preceding and 1 preceding) as bytes
           from (select rowid as place, ${sizeOf(kind)} as size from ${table} where rowid > ? order by rowid limit ${ROWS_OF_A_STEP})
         ) where bytes is null or bytes < ${BYTES_OF_A_STEP}`,
      )
      .pluck()
      .get(this.#after) as number | null
  }

  #add(difference: Difference): void {
    const count = this.#counts.get(difference.kind) ?? { created: 0, changed: 0, removed: 0 }
    count[difference.change] += 1
    this.#counts.set(difference.kind, count)
    if (this.#first.length < this.#limit) this.#first.push(difference)
  }
}

/** SQL: the size of the nested values of a row. */
const sizeOf = (kind: Kind): string =>
  ['0', ...nestedOf(kind).map((name) => `ifnull(octet_length("${name}"), 0)`)].join(' + ')

/** @param saved - the SQL name of the snapshot's table */
function changedSince(kind: Kind, saved: string): string {
  const hidden = privateFieldsOf(kind)
  const differs = Object.keys(columnsOf(kind))
    .filter((column) => !hidden.includes(column))
    .map((column) => `live."${column}" is not saved."${column}"`)
    .join(' or ')
  return `select live.id, live.merchant, case when saved.id is null then 'created' else 'changed' end as change
    from main.${kind} as live left join ${saved} as saved on saved.id = live.id
    where live.rowid > ? and live.rowid <= ? and (saved.id is null or ${differs})`
}

const removedSince = (kind: Kind, saved: string): string =>
  `select saved.id, saved.merchant, 'removed' as change from ${saved} as saved
   where saved.rowid > ? and saved.rowid <= ? and not exists (select 1 from main.${kind} as live where live.id = saved.id)`
