import { sql } from 'kysely'
import { assert } from '../core/errors.ts'
import type { Kind, Objects } from '../core/kinds.ts'
import { codecOf } from './codec.ts'
import { columnsOf } from './columns.ts'
import { nestedSize } from './object-sizes.ts'
import { lengthOf } from './recent-objects.ts'
import { arg, type Reader, type Statements } from './statements.ts'

/** The current row of an object, from which its past states are reconstructed. */
type PastRow<K extends Kind> = {
  readonly seq: number
  /** The seq of its newest journal entry. */
  readonly newestEntry: number | null
  readonly object: Objects[K]
  /** The length of its texts, in characters. */
  readonly length: number
}

/** Returns the object with this seq, whoever owns it. It is not cached: readers of the past read each object once. */
export function rowAt<K extends Kind>(statements: Statements, kind: K, seq: number): PastRow<K> {
  const row = statements
    .named(
      `at ${kind}`,
      (db) =>
        db
          .selectFrom(kind as 'product')
          .select(columnsFor(kind))
          .where('seq', '=', arg<number>('seq')),
      readerOf(kind),
    )
    .get({ seq })
  assert(row, `${kind} ${seq} exists`)
  return row
}

/** Returns the same for several objects. Those whose nested values have more than `maxBytes` are left out. */
export const rowsAt = <K extends Kind>(
  statements: Statements,
  kind: K,
  { seqs, maxBytes }: { readonly seqs: readonly number[]; readonly maxBytes: number },
): PastRow<K>[] =>
  statements
    .named(
      `at each ${kind}`,
      (db) =>
        db
          .selectFrom(kind as 'product')
          .select(columnsFor(kind))
          .where(sql<boolean>`seq in (select value from json_each(${arg('seqs')}))`)
          .where(sql<boolean>`${nestedSize(kind)} <= ${arg('maxBytes')}`),
      readerOf(kind),
    )
    .all({ seqs: JSON.stringify(seqs), maxBytes })

const columnsFor = (kind: Kind) => [...Object.keys(columnsOf(kind)), 'seq', 'newest_entry'] as 'seq'[]

function readerOf<K extends Kind>(kind: K): Reader<PastRow<K>> {
  const { decode, fields } = codecOf(kind)
  return (values) => {
    const [seq, newestEntry] = values.slice(fields.length) as [number, number | null]
    return { seq, newestEntry, object: decode(values), length: lengthOf(values) }
  }
}
