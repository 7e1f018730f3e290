import { type Selectable, sql } from 'kysely'
import { ALL_EVENT_TYPES, type EventType } from '../core/kinds.ts'
import {
  ALL_INSTANTS,
  BLOCK_ROWS,
  type Blocks,
  blockOf,
  type CreatedBound,
  ownerOf,
  spanOf,
  typeBits,
} from './blocks.ts'
import { LISTED, type ListedEntry } from './listed-entry.ts'
import { arg, literal, type Statements } from './statements.ts'
import { JOURNAL_BLOCKS, type JournalRow } from './tables.ts'

/** The number that the journal stores for each event type. */
const TYPE_NUMBER = new Map(ALL_EVENT_TYPES.map((type, index) => [type, index]))

/** Returns the number of an event type in the journal. */
export const typeNumber = (type: EventType): number => TYPE_NUMBER.get(type) ?? 0

export type EventQuery = {
  /** null for the events of all merchants. */
  readonly merchant: number | null
  /** Empty for all types. */
  readonly types: readonly EventType[]
  readonly created: readonly CreatedBound[]
  readonly limit: number
  /** The bounds of the events, both exclusive: running numbers of the merchant, or journal seqs for all merchants. */
  readonly below?: number | undefined
  readonly above?: number | undefined
  readonly order: 'newest first' | 'oldest first'
}

/** A row of the journal. */
export type StoredEntry = Selectable<JournalRow>

/**
 * Lists events by type or instant. The rows in no full block are scanned; of the others, only blocks with matches.
 */
export function filteredEvents(
  statements: Statements,
  blocks: Blocks,
  { merchant, limit, order, ...query }: EventQuery,
): ListedEntry[] {
  const types = query.types.length === 0 ? ALL_EVENT_TYPES : query.types
  const numbers = types.map(typeNumber)
  const placeOf = (place: number | undefined) =>
    place === undefined || merchant === null ? place : seqOf(statements, merchant, place)
  const tail = blocks.tail('journal')
  const { from, to } = spanOf(query.created)
  const values = {
    merchant,
    owner: ownerOf(merchant),
    numbers: JSON.stringify(numbers),
    ...typeBits(numbers),
    from,
    to,
    below: placeOf(query.below) ?? ALL_INSTANTS.to,
    above: placeOf(query.above) ?? 0,
  }
  const inTail = () =>
    selectInTail(statements, merchant === null, { order, limit }).all({
      ...values,
      above: Math.max(values.above, tail - 1),
    })
  const inBlocks = () =>
    selectInBlocks(statements, merchant === null, { order, limit }).all({
      ...values,
      first: blockOf(values.above + 1),
      last: blockOf(values.below - 1),
    })
  const [early, late] = order === 'newest first' ? [inTail, inBlocks] : [inBlocks, inTail]
  const found = early()
  return found.length < limit ? [...found, ...late()].slice(0, limit) : found
}

type Page = Pick<EventQuery, 'order' | 'limit'>

function selectInTail(statements: Statements, isOfAll: boolean, { order, limit }: Page) {
  return statements.named<ListedEntry>(`events in tail ${isOfAll} ${order} ${limit}`, (db) => ({
    compile: () =>
      sql<ListedEntry>`select ${LISTED} from journal where ${wanted(isOfAll)}
        order by seq ${directionOf(order)} limit ${literal(limit)}`.compile(db),
  }))
}

function selectInBlocks(statements: Statements, isOfAll: boolean, { order, limit }: Page) {
  const firstPlace = sql`block.number * ${sql.lit(BLOCK_ROWS)}`
  const direction = directionOf(order)
  return statements.named<ListedEntry>(`events in blocks ${isOfAll} ${order} ${limit}`, (db) => ({
    compile: () =>
      sql<ListedEntry>`select ${LISTED} from block cross join journal
        on journal.seq between ${firstPlace} and ${firstPlace} + ${sql.lit(BLOCK_ROWS - 1)}
        where block.kind = ${sql.lit(JOURNAL_BLOCKS)} and block.merchant = ${arg('owner')}
        and block.number between ${arg('first')} and ${arg('last')}
        and (block.types & ${arg('types')} or block.late_types & ${arg('late_types')})
        and block.latest >= ${arg('from')} and block.earliest <= ${arg('to')}
        and ${wanted(isOfAll)}
        order by block.number ${direction}, journal.seq ${direction} limit ${literal(limit)}`.compile(db),
  }))
}

/** Returns the seq of a merchant's event with a running number; 0 when there is none. */
function seqOf(statements: Statements, merchant: number, number: number): number {
  const row = statements
    .named<{ seq: number }>('seq of event', (db) =>
      db
        .selectFrom('journal')
        .select('seq')
        .where('merchant', '=', arg<number>('merchant'))
        .where('number', '=', arg<number>('number')),
    )
    .get({ merchant, number })
  return row?.seq ?? 0
}

const directionOf = (order: EventQuery['order']) => sql.raw(order === 'newest first' ? 'desc' : 'asc')

/**
 * The conditions on each event beside its part of the journal. The unary pluses disable indexes: these columns
 * only filter the rows of a part.
 */
const wanted = (
  isOfAll: boolean,
) => sql<boolean>`journal.seq > ${arg('above')} and journal.seq < ${arg('below')}
  and +journal.number is not null and journal.type in (select value from json_each(${arg('numbers')}))
  and journal.created >= ${arg('from')} and journal.created <= ${arg('to')}
  and ${isOfAll ? sql`true` : sql`+journal.merchant = ${arg('merchant')}`}`
