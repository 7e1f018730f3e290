import { sql } from 'kysely'
import { findById } from './damage.ts'
import { Place } from './place.ts'
import type { Statements } from './statements.ts'
import type { StoredKind } from './stored-kind.ts'

const COLUMNS = sql`merchant, seq, newest_entry, entry_count`

const placeOf = (values: readonly unknown[]) => {
  const [merchant, seq, newestEntry, entryCount] = values as [number, number, number | null, number]
  return { merchant, place: new Place(seq, newestEntry, entryCount) }
}

/** Reads the position of an object without the object, which can be large; undefined when the merchant has none with this id. */
export const readPlace = (
  statements: Statements,
  kind: StoredKind,
  { merchant, id }: { readonly merchant: number; readonly id: string },
): Place | undefined => {
  const found = findById(statements, { name: `place of ${kind}`, kind, columns: COLUMNS, read: placeOf }, id)
  return found?.merchant === merchant ? found.place : undefined
}
