import { type RawBuilder, sql } from 'kysely'
import { present } from './search-query.ts'
import { arg, literal } from './statements.ts'
import type { StoredKind } from './stored-kind.ts'

/** Builds the query for the first text in an index of a merchant's rows that is not before the value `from`. */
export const firstTextQuery = (kind: StoredKind, column: string): RawBuilder<object> =>
  sql<object>`select ${sql.ref(column)} from ${sql.table(kind)} indexed by ${sql.ref(`${kind}_${column}`)}
    where merchant = ${arg('merchant')} and ${sql.ref(column)} >= ${arg('from')}
    order by ${sql.ref(column)} limit ${literal(1)}`

/**
 * Builds the query for the seqs of a merchant's next rows, newest first.
 * @param column - the column that has to be the value `text`; without it, all rows are read
 */
export function placesQuery(kind: StoredKind, column: string | undefined, limit: number): RawBuilder<object> {
  const index = sql.ref(`${kind}_${column ?? 'merchant'}`)
  const wheres = [
    sql`merchant = ${arg('merchant')}`,
    ...(column === undefined ? [] : [sql`${sql.ref(column)} = ${arg('text')}`]),
    ...present(kind),
    sql`seq > ${arg('above')} and seq < ${arg('below')}`,
  ]
  return sql<object>`select seq from ${sql.table(kind)} indexed by ${index}
    where ${sql.join(wheres, sql` and `)} order by seq desc limit ${literal(limit)}`
}
