import { type RawBuilder, sql } from 'kysely'
import { nestedOf } from './codec.ts'
import { literal } from './statements.ts'
import type { StoredKind } from './stored-kind.ts'

/** SQL: the total size of the nested values of a row, in bytes. The values are not read. */
export function nestedSize(kind: StoredKind): RawBuilder<number> {
  const sizes = sizesOf(kind)
  return sizes.length === 0 ? sql`0` : sql`${sql.join(sizes, sql` + `)}`
}

/** SQL: whether a row has no nested value that is larger than a number of bytes. */
export function isSmall(kind: StoredKind, maxBytes: number): RawBuilder<unknown> {
  const sizes = sizesOf(kind)
  return sizes.length === 0 ? sql`true` : sql`max(${sql.join(sizes)}, 0) <= ${literal(maxBytes)}`
}

const sizesOf = (kind: StoredKind) =>
  nestedOf(kind).map((name) => sql`ifnull(octet_length(${sql.ref(name)}), 0)`)
