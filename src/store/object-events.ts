import { sql } from 'kysely'
import type { Kind } from '../core/kinds.ts'
import { ALL_INSTANTS, spanOf } from './blocks.ts'
import { type EventQuery, typeNumber } from './event-query.ts'
import type { Keyframes } from './keyframes.ts'
import { allPresent, LISTED, type ListedEntry, type Missing } from './listed-entry.ts'
import { arg, literal, type Statements } from './statements.ts'

/** Selects events of one object, whose newest journal entry is known. `below` and `above` are journal seqs. */
export type ObjectEventQuery = Omit<EventQuery, 'merchant'> & {
  readonly kind: Kind
  /** Its seq. */
  readonly object: number
  readonly newestEntry: number
}

type Sources = { readonly statements: Statements; readonly keyframes: Keyframes }

/**
 * Lists events of one object by following its chain of entries, which leads from each entry to the one before. Keyframes lead into
 * the middle of the chain, so the time for a page without conditions does not depend on the number of the object's entries, if most of
 * them emitted an event.
 */
export function eventsOfObject(sources: Sources, query: ObjectEventQuery): ListedEntry[] {
  return query.order === 'newest first' ? newestFirst(sources, query) : oldestFirst(sources, query)
}

function newestFirst({ statements, keyframes }: Sources, query: ObjectEventQuery): ListedEntry[] {
  const { kind, object, newestEntry, below } = query
  const start = below === undefined ? undefined : keyframes.entryFrom({ kind, object, entry: below })
  return follow(statements, { ...query, start: start ?? newestEntry })
}

/** Follows the chain from a keyframe back to the entries that are listed already, then from a later keyframe. */
function oldestFirst({ statements, keyframes }: Sources, query: ObjectEventQuery): ListedEntry[] {
  const { kind, object, newestEntry, limit } = query
  const found: ListedEntry[] = []
  let above = query.above ?? 0
  // With conditions that few entries meet, the parts become longer.
  for (let skipped = 0; found.length < limit; skipped = 2 * skipped + 1) {
    const start = keyframes.entryFrom({ kind, object, entry: above + 1 }, skipped)
    for (const row of follow(statements, { ...query, above, start: start ?? newestEntry }).reverse())
      found.push(row)
    if (start === undefined) break
    above = start
  }
  return found.slice(0, limit)
}

/** Lists the entries from `start` on that match a query, newest first. Only with this order, the limit applies. */
function follow(statements: Statements, query: ObjectEventQuery & { readonly start: number }): ListedEntry[] {
  const { kind, object, start, types, created, limit, below, above, order } = query
  const isLimited = order === 'newest first'
  const numbers = types.map(typeNumber)
  const rows = statements
    .named<ListedEntry | Missing>(`events of object ${types.length > 0} ${isLimited && limit}`, (db) => ({
      compile: () =>
        sql`with recursive chain (seq) as (
            select ${arg('start')}
            union all select journal.previous from chain cross join journal on journal.seq = chain.seq
            where journal.previous > ${arg('above')})
          select ${LISTED} from chain left join journal on journal.seq = chain.seq
          where chain.seq > ${arg('above')} and chain.seq < ${arg('below')}
          and (journal.seq is null or (+journal.number is not null
          and journal.created between ${arg('from')} and ${arg('to')}
          ${types.length > 0 ? sql`and journal.type in (select value from json_each(${arg('types')}))` : sql``}))
          ${isLimited ? sql`limit ${literal(limit)}` : sql``}`.compile(db),
    }))
    .all({
      start,
      above: above ?? 0,
      below: below ?? ALL_INSTANTS.to,
      types: JSON.stringify(numbers),
      ...spanOf(created),
    })
  return allPresent(rows, `${kind} ${object}`)
}
