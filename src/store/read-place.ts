import { assertIntact, isIndexed } from './damage.ts'
import { Place } from './place.ts'
import type { Statements } from './statements.ts'
import type { StoredKind } from './stored-kind.ts'

/** The position, with values by which the row is recognized. */
type PlaceRow = {
  readonly id: string
  readonly merchant: number
  readonly seq: number
  readonly newest_entry: number | null
  readonly entry_count: number
}

/** Reads the position of an object without the object, which can be large; undefined when the merchant has none with this id. */
export const readPlace = (
  statements: Statements,
  kind: StoredKind,
  { merchant, id }: { readonly merchant: number; readonly id: string },
): Place | undefined => {
  const row = statements
    .named<PlaceRow>(`place of ${kind}`, (db) =>
      db
        .selectFrom(kind as 'object')
        .select(['id', 'merchant', 'seq', 'newest_entry', 'entry_count'])
        .where(isIndexed(kind, ['id'])),
    )
    .get({ id })
  if (row) assertIntact(row.id === id, `the index of ${kind} leads to ${id}`)
  return row?.merchant === merchant ? new Place(row.seq, row.newest_entry, row.entry_count) : undefined
}
