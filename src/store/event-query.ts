import { type RawBuilder, type Selectable, sql } from 'kysely'
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
import { EVENT_BLOCKS, type EventTableName, type JournalRow } from './tables.ts'

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

/** A query of events in the order of their seqs. */
export type FilteredQuery = Pick<EventQuery, 'merchant' | 'created' | 'limit' | 'order'> & {
  /** The numbers of the wanted types. */
  readonly numbers: readonly number[]
  /** The bounds of their seqs, both exclusive. */
  readonly below?: number | undefined
  readonly above?: number | undefined
}

/** A table of events, and the columns that are read of it. */
type EventSource = { readonly table: EventTableName; readonly columns: RawBuilder<unknown> }

const JOURNAL: EventSource = { table: 'journal', columns: LISTED }

/** Lists events of the journal by type or instant. */
export function filteredEntries(
  statements: Statements,
  blocks: Blocks,
  { types, below, above, ...query }: EventQuery,
): ListedEntry[] {
  const { merchant } = query
  const placeOf = (place: number | undefined) =>
    place === undefined || merchant === null ? place : seqOf(statements, merchant, place)
  return filteredEvents<ListedEntry>(statements, blocks, JOURNAL, {
    ...query,
    numbers: (types.length === 0 ? ALL_EVENT_TYPES : types).map(typeNumber),
    below: placeOf(below),
    above: placeOf(above),
  })
}

/** Returns the running number of a merchant's newest event up to a place among the events of all; 0 without any. */
export function numberAt(
  statements: Statements,
  blocks: Blocks,
  merchant: number,
  placeInAll: number,
): number {
  const wanted = { merchant, numbers: ALL_EVENT_TYPES.map(typeNumber), below: Math.floor(placeInAll) + 1 }
  const [newest] = filteredEvents<ListedEntry>(statements, blocks, JOURNAL, { ...wanted, ...NEWEST })
  return newest?.number ?? 0
}

/** Asks for the newest event only. */
export const NEWEST = { created: [], limit: 1, order: 'newest first' } as const

/** Lists events by type or instant. The rows in no full block are scanned; of the others, only blocks with matches. */
export function filteredEvents<Row>(
  statements: Statements,
  blocks: Blocks,
  source: EventSource,
  { merchant, limit, order, created, numbers, below = ALL_INSTANTS.to, above = 0 }: FilteredQuery,
): Row[] {
  const tail = blocks.tail(source.table)
  const values = {
    merchant,
    owner: ownerOf(merchant),
    numbers: JSON.stringify(numbers),
    ...typeBits(numbers),
    ...spanOf(created),
    below,
    above,
  }
  const page = { isOfAll: merchant === null, order, limit }
  const inTail = () =>
    selectInTail<Row>(statements, source, page).all({ ...values, above: Math.max(above, tail - 1) })
  const inBlocks = () =>
    selectInBlocks<Row>(statements, source, page).all({
      ...values,
      first: blockOf(above + 1),
      last: blockOf(below - 1),
    })
  const [early, late] = order === 'newest first' ? [inTail, inBlocks] : [inBlocks, inTail]
  const found = early()
  return found.length < limit ? [...found, ...late()].slice(0, limit) : found
}

type Page = Pick<EventQuery, 'order' | 'limit'> & { readonly isOfAll: boolean }

function selectInTail<Row>(statements: Statements, { table, columns }: EventSource, page: Page) {
  const { isOfAll, order, limit } = page
  return statements.named<Row>(`${table} in tail ${isOfAll} ${order} ${limit}`, (db) => ({
    compile: () =>
      sql<Row>`select ${columns} from ${sql.table(table)} where ${wanted(table, isOfAll)}
        order by seq ${directionOf(order)} limit ${literal(limit)}`.compile(db),
  }))
}

function selectInBlocks<Row>(statements: Statements, { table, columns }: EventSource, page: Page) {
  const { isOfAll, order, limit } = page
  const firstPlace = sql`block.number * ${sql.lit(BLOCK_ROWS)}`
  const seq = sql.ref(`${table}.seq`)
  const direction = directionOf(order)
  return statements.named<Row>(`${table} in blocks ${isOfAll} ${order} ${limit}`, (db) => ({
    compile: () =>
      sql<Row>`select ${columns} from block cross join ${sql.table(table)}
        on ${seq} between ${firstPlace} and ${firstPlace} + ${sql.lit(BLOCK_ROWS - 1)}
        where block.kind = ${sql.lit(EVENT_BLOCKS[table])} and block.merchant = ${arg('owner')}
        and block.number between ${arg('first')} and ${arg('last')}
        and (block.types & ${arg('types')} or block.late_types & ${arg('late_types')})
        and block.latest >= ${arg('from')} and block.earliest <= ${arg('to')}
        and ${wanted(table, isOfAll)}
        order by block.number ${direction}, ${seq} ${direction} limit ${literal(limit)}`.compile(db),
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
const wanted = (table: EventTableName, isOfAll: boolean) => {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql<boolean>`${column('seq')} > ${arg('above')} and ${column('seq')} < ${arg('below')}
    and +${column('number')} is not null and ${column('type')} in (select value from json_each(${arg('numbers')}))
    and ${column('created')} >= ${arg('from')} and ${column('created')} <= ${arg('to')}
    and ${isOfAll ? sql`true` : sql`+${column('merchant')} = ${arg('merchant')}`}`
}
