import { type Insertable, type Selectable, sql } from 'kysely'
import { CLOCK_EVENT_TYPES, type ClockEventType } from '../core/kinds.ts'
import type { ShownClock } from '../core/test-clock.ts'
import { type CreatedBound, spanOf } from './blocks.ts'
import { arg, literal, type Statements } from './statements.ts'
import type { ClockEventRow } from './tables.ts'

/** An event of a test clock as its table stores it. */
export type ClockEventEntry = Omit<Selectable<ClockEventRow>, 'type' | 'clock'> & {
  readonly type: ClockEventType
  readonly clock: ShownClock
}

export type ClockEventQuery = {
  /** null for the events of all merchants. */
  readonly merchant: number | null
  /** Not empty. */
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

/**
 * The events of test clocks. They are not in the journal, so that the ids of all other events do not depend on how clocks were
 * moved. Each has a place between two events of the journal: their running numbers within the merchant, or among
 * all merchants the seqs of their entries, are whole numbers.
 */
export class ClockEventTable {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
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
    this.#statements
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
        type: CLOCK_EVENT_TYPES.indexOf(row.type),
        clock: JSON.stringify(row.clock),
        place: Math.max(after.number, this.head(row.merchant)) + GAP,
        placeInAll: Math.max(after.entry, this.head(null)) + GAP,
      })
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
    return (
      this.#statements
        .named<{ place: number }>('clock event head at', (db) =>
          db
            .selectFrom('clock_event')
            .select('place')
            .where('merchant', '=', arg<number>('merchant'))
            // The unary plus disables the index of this column, with which the planner would sort the rows.
            .where(sql<boolean>`+place_in_all <= ${arg('placeInAll')}`)
            .orderBy('place', 'desc')
            .limit(literal(1)),
        )
        .get({ merchant, placeInAll })?.place ?? 0
    )
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
    return (place) => (place <= head ? place : head + before.filter((each) => each <= place).length * GAP)
  }

  #placesAfter(head: number): readonly number[] {
    return this.#statements
      .named<{ place: number }>('places of clock events', (db) =>
        db
          .selectFrom('clock_event')
          .select('place_in_all as place')
          .where('place_in_all', '>', arg<number>('head')),
      )
      .all({ head })
      .map(({ place }) => place)
  }

  /** Returns the event with a running number of a merchant. */
  event(merchant: number, number: number): ClockEventEntry | undefined {
    const row = this.#statements
      .named<Selectable<ClockEventRow>>('clock event', (db) =>
        db
          .selectFrom('clock_event')
          .selectAll()
          .where('merchant', '=', arg<number>('merchant'))
          .where('number', '=', arg<number>('number')),
      )
      .get({ merchant, number })
    return row && entryOf(row)
  }

  /** Lists the events that match a query. */
  events({ merchant, types, created, limit, below, above, order }: ClockEventQuery): ClockEventEntry[] {
    const isOfAll = merchant === null
    const place = isOfAll ? 'place_in_all' : 'place'
    const numbers = types.map((type) => CLOCK_EVENT_TYPES.indexOf(type))
    return this.#statements
      .named<Selectable<ClockEventRow>>(['clock events', isOfAll, order, limit, numbers].join(' '), (db) => {
        let select = db
          .selectFrom('clock_event')
          .selectAll()
          .where('type', 'in', numbers.map(literal))
          .where(place, '<', arg<number>('below'))
          .where(place, '>', arg<number>('above'))
          .where('created', '>=', arg<number>('from'))
          .where('created', '<=', arg<number>('to'))
        if (!isOfAll) select = select.where('merchant', '=', arg<number>('merchant'))
        return select.orderBy(place, order === 'newest first' ? 'desc' : 'asc').limit(literal(limit))
      })
      .all({ merchant, below: below ?? Number.MAX_SAFE_INTEGER, above: above ?? 0, ...spanOf(created) })
      .map(entryOf)
  }
}

const entryOf = (row: Selectable<ClockEventRow>): ClockEventEntry => ({
  ...row,
  type: CLOCK_EVENT_TYPES[row.type] as ClockEventType,
  clock: JSON.parse(row.clock),
})
