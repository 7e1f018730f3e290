import { type Insertable, type Selectable, sql } from 'kysely'
import { CLOCK_EVENT_TYPES, type ClockEventType } from '../core/kinds.ts'
import type { ShownClock } from '../core/test-clock.ts'
import type { Blocks, CreatedBound } from './blocks.ts'
import { findIndexed } from './damage.ts'
import { type FilteredQuery, filteredEvents, NEWEST } from './event-query.ts'
import { arg, literal, type Statements } from './statements.ts'
import type { ClockEventRow } from './tables.ts'

type StoredClockEvent = Selectable<ClockEventRow>

/** An event of a test clock. */
export type ClockEventEntry = Omit<StoredClockEvent, 'type' | 'clock'> & {
  readonly type: ClockEventType
  readonly clock: ShownClock
}

export type ClockEventQuery = {
  /** null for the events of all merchants. */
  readonly merchant: number | null
  /** Empty for all types. */
  readonly types: readonly ClockEventType[]
  readonly created: readonly CreatedBound[]
  readonly limit: number
  /** The bounds of their places, both exclusive. */
  readonly below?: number | undefined
  readonly above?: number | undefined
  readonly order: 'newest first' | 'oldest first'
}

/** Returns where a place among the events of all merchants is after some were deleted: what followed it still does, and nothing else. */
export type MovePlace = (place: number) => number

/** The distance of the places of events that follow each other without an entry of the journal between them. */
const GAP = 2 ** -20

const SOURCE = { table: 'clock_event', columns: sql`clock_event.*` } as const

/**
 * The events of test clocks. They are not in the journal, so that the ids of all other events do not depend on how clocks were
 * moved. Each has a place between two events of the journal: their running numbers within the merchant, or among
 * all merchants the seqs of their entries, are whole numbers.
 */
export class ClockEventTable {
  readonly #statements: Statements
  readonly #blocks: Blocks

  constructor(statements: Statements, blocks: Blocks) {
    this.#statements = statements
    this.#blocks = blocks
  }

  /**
   * Adds an event at the end.
   * @param after - the running number of the merchant's newest event in the journal, and the seq of the newest entry
   */
  add(
    row: Omit<Insertable<ClockEventRow>, 'seq' | 'type' | 'clock' | 'place' | 'place_in_all'> & {
      readonly type: ClockEventType
      readonly clock: ShownClock
    },
    after: { readonly number: number; readonly entry: number },
  ): void {
    const type = CLOCK_EVENT_TYPES.indexOf(row.type)
    const seq = this.#statements
      .named('add clock event', (db) =>
        db.insertInto('clock_event').values({
          merchant: arg<number>('merchant'),
          number: arg<number>('number'),
          type: arg<number>('type'),
          created: arg<number>('created'),
          place: arg<number>('place'),
          place_in_all: arg<number>('placeInAll'),
          clock: arg<string>('clock'),
          api_version: arg<number>('api_version'),
          request: arg<string | null>('request'),
          idempotency_key: arg<string | null>('idempotency_key'),
        }),
      )
      .run({
        ...row,
        type,
        clock: JSON.stringify(row.clock),
        place: Math.max(after.number, this.head(row.merchant)) + GAP,
        placeInAll: Math.max(after.entry, this.head(null)) + GAP,
      })
    this.#blocks.addedEvent('clock_event', { seq, merchant: row.merchant, created: row.created }, type)
  }

  /** Returns the place of the newest event of a merchant, or for null of all; 0 without any. */
  head(merchant: number | null): number {
    const isOfAll = merchant === null
    return (
      this.#statements
        .named<{ place: number | null }>(`clock event head ${isOfAll}`, (db) => {
          const select = db
            .selectFrom('clock_event')
            .select((eb) => eb.fn.max(isOfAll ? 'place_in_all' : 'place').as('place'))
          return isOfAll ? select : select.where('merchant', '=', arg<number>('merchant'))
        })
        .get({ merchant })?.place ?? 0
    )
  }

  /** Returns the place of a merchant's newest event up to a place among the events of all; 0 without any. */
  headAt(merchant: number, placeInAll: number): number {
    const below = this.#seqAt(null, '<=', placeInAll) + 1
    const [newest] = this.#filtered({ ...NEWEST, merchant, types: [] }, { below })
    return newest?.place ?? 0
  }

  /**
   * Moves the events after the newest entry of the journal close to it, in the same order. Must be called when entries were deleted:
   * the next ones get their seqs, and have to follow these events.
   * @param head - the seq of the newest entry
   * @returns where a place among the events of all is now
   */
  moveTo(head: number): MovePlace {
    const before = this.#placesAfter(head)
    this.#statements
      .named('move clock events', (db) => ({
        compile: () =>
          sql`update clock_event set place_in_all = ${arg('head')} + later.number * ${sql.lit(GAP)}
            from (select seq, row_number() over (order by place_in_all) as number
              from clock_event where place_in_all > ${arg('head')}) as later
            where clock_event.seq = later.seq`.compile(db),
      }))
      .run({ head })
    return (place) => (place <= head ? place : head + countUpTo(before, place) * GAP)
  }

  #placesAfter(head: number): readonly number[] {
    return this.#statements
      .named<{ place: number }>('places of clock events', (db) =>
        db
          .selectFrom('clock_event')
          .select('place_in_all as place')
          .where('place_in_all', '>', arg<number>('head'))
          .orderBy('place_in_all'),
      )
      .all({ head })
      .map(({ place }) => place)
  }

  /** Returns the event with a running number of a merchant. */
  event(merchant: number, number: number): ClockEventEntry | undefined {
    const row = findIndexed<StoredClockEvent>(this.#statements, 'clock event', 'clock_event', {
      merchant,
      number,
    })
    return row && entryOf(row)
  }

  /** Lists the events that match a query. */
  events(query: ClockEventQuery): ClockEventEntry[] {
    const { merchant, types, created, below, above } = query
    const isFiltered = types.length > 0 || created.length > 0
    const rows = isFiltered
      ? this.#filtered(query, {
          below: below === undefined ? undefined : this.#seqAt(merchant, '<', below) + 1,
          above: above === undefined ? undefined : this.#seqAt(merchant, '<=', above),
        })
      : this.#unfiltered(query)
    return rows.map(entryOf)
  }

  /** The order of the seqs is that of the places. */
  #filtered(
    { types, ...query }: Omit<ClockEventQuery, 'below' | 'above'>,
    seqs: Pick<FilteredQuery, 'below' | 'above'>,
  ): StoredClockEvent[] {
    const wanted = types.length === 0 ? CLOCK_EVENT_TYPES : types
    const numbers = wanted.map((type) => CLOCK_EVENT_TYPES.indexOf(type))
    return filteredEvents<StoredClockEvent>(this.#statements, this.#blocks, SOURCE, {
      ...query,
      ...seqs,
      numbers,
    })
  }

  #unfiltered({ merchant, limit, below, above, order }: ClockEventQuery): StoredClockEvent[] {
    const isOfAll = merchant === null
    const place = isOfAll ? 'place_in_all' : 'place'
    return this.#statements
      .named<StoredClockEvent>(`clock events ${isOfAll} ${order} ${limit}`, (db) => {
        let select = db
          .selectFrom('clock_event')
          .selectAll()
          .where(place, '<', arg<number>('below'))
          .where(place, '>', arg<number>('above'))
        if (!isOfAll) select = select.where('merchant', '=', arg<number>('merchant'))
        return select.orderBy(place, order === 'newest first' ? 'desc' : 'asc').limit(literal(limit))
      })
      .all({ merchant, below: below ?? Number.MAX_SAFE_INTEGER, above: above ?? 0 })
  }

  /** Returns the seq of the newest event of a merchant, or for null of all, before (<) or up to (<=) a place; 0 without any. */
  #seqAt(merchant: number | null, compare: '<' | '<=', to: number): number {
    const isOfAll = merchant === null
    const place = isOfAll ? 'place_in_all' : 'place'
    return (
      this.#statements
        .named<{ seq: number }>(`clock event at ${isOfAll} ${compare}`, (db) => {
          const select = db.selectFrom('clock_event').select('seq').where(place, compare, arg<number>('to'))
          return (isOfAll ? select : select.where('merchant', '=', arg<number>('merchant')))
            .orderBy(place, 'desc')
            .limit(literal(1))
        })
        .get({ merchant, to })?.seq ?? 0
    )
  }
}

const entryOf = (row: StoredClockEvent): ClockEventEntry => ({
  ...row,
  type: CLOCK_EVENT_TYPES[row.type] as ClockEventType,
  clock: JSON.parse(row.clock),
})

/** Returns how many of some ascending numbers are at most as large as another. Each stream asks once, and there may be a hundred thousand. */
function countUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= most) low = middle + 1
    else high = middle
  }
  return low
}
