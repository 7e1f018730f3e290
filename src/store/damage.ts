import { sql } from 'kysely'
import { arg, type Statements } from './statements.ts'
import type { Tables } from './tables.ts'

/**
 * Damage that SQLite does not report. It checks the form of a page, but not whether an entry of an index leads to its row, nor whether
 * a row is missing.
 */
export class RowDamaged extends Error {}

/** Checks what only damage of the database can change. @throws RowDamaged */
export function assertIntact(condition: unknown, expectation: string): asserts condition {
  if (!condition) throw new RowDamaged(`The database is damaged. It was expected that ${expectation}.`)
}

/**
 * SQL: the row to which an index leads from the values of some columns. The row is read by its rowid, because SQLite would take the values
 * of these columns from the index, so that a wrong row could not be recognized.
 */
export const isIndexed = (table: keyof Tables, columns: readonly string[]) => {
  const values = columns.map((name) => sql`${sql.ref(name)} = ${arg(name)}`)
  return sql<boolean>`rowid = (select rowid from ${sql.table(table)} where ${sql.join(values, sql` and `)})`
}

/**
 * Finds the row with some values, which an index has and no other row has.
 * @param name - of the statement
 * @throws RowDamaged when the index leads to another row
 */
export function findIndexed<Row extends object>(
  statements: Statements,
  name: string,
  table: keyof Tables,
  values: Partial<Row>,
): Row | undefined {
  const columns = Object.keys(values)
  const row = statements
    .named<Row>(name, (db) =>
      db
        .selectFrom(table as 'clock')
        .selectAll()
        .where(isIndexed(table, columns)),
    )
    .get(values as Readonly<Record<string, unknown>>)
  if (row) assertIntact(hasValues(row, values), `the index of ${table} leads to the row of its values`)
  return row
}

const hasValues = (row: object, values: object): boolean =>
  Object.entries(values).every(([name, value]) => {
    const found = (row as Record<string, unknown>)[name]
    return value instanceof Uint8Array
      ? found instanceof Uint8Array && Buffer.compare(found, value) === 0
      : found === value
  })
