import { Place } from './place.ts'
import { arg, type Statements } from './statements.ts'
import type { StoredKind } from './stored-kind.ts'

/** Reads the position of an object without the object, which can be large; undefined when the merchant has none with this id. */
export const readPlace = (
  statements: Statements,
  kind: StoredKind,
  given: { readonly merchant: number; readonly id: string },
): Place | undefined =>
  statements
    .named(
      `place of ${kind}`,
      (db) =>
        db
          .selectFrom(kind as 'object')
          .select(['seq', 'newest_entry', 'entry_count'])
          .where('id', '=', arg<string>('id'))
          .where('merchant', '=', arg<number>('merchant')),
      ([seq, newestEntry, entryCount]) =>
        new Place(seq as number, newestEntry as number | null, entryCount as number),
    )
    .get(given)
