import { type RawBuilder, sql } from 'kysely'
import type { Kind } from '../core/kinds.ts'
import { nestedOf } from './codec.ts'
import { arg, literal, type Statements } from './statements.ts'
import type { StoredKind } from './stored-kind.ts'

/** Returns the total size of the nested values of the objects with these seqs, in bytes. It does not read the values. */
export function sizeOfEach(statements: Statements, kind: Kind, seqs: readonly number[]): number {
  const nested = nestedOf(kind)
  if (nested.length === 0) return 0
  const row = statements
    .named<{ size: number | null }>(`size of each ${kind}`, (db) => ({
      compile: () => {
        const sizes = nested.map((name) => sql`ifnull(octet_length(${sql.ref(name)}), 0)`)
        return sql`select sum(${sql.join(sizes, sql` + `)}) as size from ${sql.table(kind)}
          where seq in (select value from json_each(${arg('seqs')}))`.compile(db)
      },
    }))
    .get({ seqs: JSON.stringify(seqs) })
  return row?.size ?? 0
}

/** SQL: whether a row has no nested value that is larger than a number of bytes. */
export function isSmall(kind: StoredKind, maxBytes: number): RawBuilder<unknown> {
  const nested = nestedOf(kind)
  const sizes = nested.map((name) => sql`ifnull(octet_length(${sql.ref(name)}), 0)`)
  return sizes.length === 0 ? sql`true` : sql`max(${sql.join(sizes)}, 0) <= ${literal(maxBytes)}`
}
