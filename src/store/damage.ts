import { type RawBuilder, sql } from 'kysely'
import { arg, type Reader, type Statements, type Values } from './statements.ts'
import type { StoredKind } from './stored-kind.ts'
import type { Tables } from './tables.ts'

/**
 * Damage that SQLite does not report. It checks the form of a page, but not whether an entry of an index leads to its row, nor whether
 * a row is missing.
 */
export class RowDamaged extends Error {}

/** Checks what only damage of the database can change. @param finding - what is wrong if the condition is false @throws RowDamaged */
export function assertIntact(condition: unknown, finding: string): asserts condition {
  if (!condition) throw new RowDamaged(`The database is damaged: ${finding}.`)
}

/** @param hasValues - whether a row has the values by which it was found: 1 or 0, or null if it is missing */
function assertOwn(table: keyof Tables, hasValues: number | null): void {
  assertIntact(hasValues === 1, `an entry of the index of ${table} leads to a wrong or missing row`)
}

/**
 * SQL: the row to which an index leads from some values, and last `has_values`. The row is read by its rowid, because SQLite would take
 * these values from the index, so that a wrong row could not be recognized. The outer join keeps an entry that leads to a missing row.
 * @param names - of the columns with the values
 */
function rowOfIndex(table: keyof Tables, names: readonly string[], columns: RawBuilder<unknown>) {
  const hasValues = sql.join(
    names.map((name) => sql`${sql.ref(name)} = ${arg(name)}`),
    sql` and `,
  )
  return sql`select ${columns}, ${hasValues} as has_values
    from (select rowid as found from ${sql.table(table)} where ${hasValues})
    left join ${sql.table(table)} on ${sql.ref(`${table}.rowid`)} = found`
}

/**
 * Finds the row with some values, which an index has and no other row has.
 * @param name - the name under which the statement is cached
 * @throws RowDamaged if the index leads to another row or to a missing one
 */
export function findIndexed<Row extends object>(
  statements: Statements,
  name: string,
  table: keyof Tables,
  values: Partial<Row>,
): Row | undefined {
  const found = statements
    .named<Row & { has_values: number | null }>(name, (db) => ({
      compile: () => rowOfIndex(table, Object.keys(values), sql`${sql.table(table)}.*`).compile(db),
    }))
    .get(values as Values)
  if (!found) return undefined
  const { has_values, ...row } = found
  assertOwn(table, has_values)
  return row as object as Row
}

/** How objects of a kind are found by their ids. */
export type LookupById<Row> = {
  /** The name under which the statement is cached. */
  readonly name: string
  readonly kind: StoredKind
  /** SQL, for the values that `read` requires. */
  readonly columns: RawBuilder<unknown>
  readonly read: Reader<Row>
}

/** Finds the object with an id. @throws RowDamaged if the index of ids leads to another row or to a missing one */
export const findById = <Row>(
  statements: Statements,
  { name, kind, columns, read }: LookupById<Row>,
  id: string,
): Row | undefined =>
  statements
    .named<Row>(
      name,
      (db) => ({ compile: () => rowOfIndex(kind, ['id'], columns).compile(db) }),
      (values) => {
        assertOwn(kind, values.at(-1) as number | null)
        return read(values)
      },
    )
    .get({ id })
