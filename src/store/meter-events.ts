import { type Kysely, type Selectable, sql } from 'kysely'
import { LAST_INSTANT } from '../core/calendar.ts'
import type { Formula } from '../core/meter.ts'
import { SCALE } from '../core/price-amount.ts'
import { findIndexed } from './damage.ts'
import { arg, literal, type Statements } from './statements.ts'
import type { MeterEventRow, Tables } from './tables.ts'
import { type Aggregate, UsageCache, type UsageSpan } from './usage-cache.ts'

/** The usage of one window of a span. */
export type WindowUsage = { readonly start: number; readonly quantity: bigint }

/** Which windows of a span are listed. */
export type WindowPage = {
  /** The length of a window in seconds. */
  readonly seconds: number
  readonly limit: number
  readonly order: 'newest first' | 'oldest first'
}

/** The condition of all statements, in the order of the index. */
const IN_SPAN = sql`
  customer = ${arg('customer')} and meter = ${arg('meter')}
  and timestamp >= ${arg('start')} and timestamp < ${arg('end')}`
/** Whether an event counts at the asked instant. */
const COUNTS = sql`created <= ${arg('asOf')} and (canceled is null or canceled > ${arg('asOf')})`

const ORDERS = {
  'newest first': sql`order by timestamp desc, seq desc`,
  'oldest first': sql`order by timestamp, seq`,
} as const

/** Sums are taken of the upper and the lower digits of each part, so that no sum exceeds SQLite's integers. */
const HALF = 1_000_000
const sumOf = (part: ReturnType<typeof sql>) => sql`sum(${part}) filter (where ${COUNTS})`
const UPPER_WHOLE = sql`whole / ${sql.lit(HALF)}`
const LOWER_WHOLE = sql`whole % ${sql.lit(HALF)}`
const UPPER_FRACTION = sql`fraction / ${sql.lit(HALF)}`
const LOWER_FRACTION = sql`fraction % ${sql.lit(HALF)}`

/**
 * The columns and the end of each statement. The columns are the four parts from which `quantityOf` makes the quantity, and the
 * number of read events: an event that does not count is read nevertheless.
 */
const READINGS: Readonly<Record<Formula, { columns: ReturnType<typeof sql>; rest: ReturnType<typeof sql> }>> =
  {
    sum: {
      columns: sql`
      ${sumOf(UPPER_WHOLE)}, ${sumOf(LOWER_WHOLE)}, ${sumOf(UPPER_FRACTION)}, ${sumOf(LOWER_FRACTION)}, count(*)`,
      rest: sql``,
    },
    count: { columns: sql`0, count(*) filter (where ${COUNTS}), 0, 0, count(*)`, rest: sql`` },
    last: {
      columns: sql`${UPPER_WHOLE}, ${LOWER_WHOLE}, ${UPPER_FRACTION}, ${LOWER_FRACTION}, 1`,
      rest: sql`and ${COUNTS} ${ORDERS['newest first']} limit ${literal(1)}`,
    },
  }

const NO_EVENTS: Aggregate = { quantity: 0n, events: 0 }

/** Converts the four parts of a result to a quantity in units of 10⁻¹². */
function quantityOf(values: readonly unknown[]): bigint {
  const [high, low, highFraction, lowFraction] = values.map((value) => BigInt((value ?? 0) as number))
  const half = BigInt(HALF)
  return ((high ?? 0n) * half + (low ?? 0n)) * SCALE + (highFraction ?? 0n) * half + (lowFraction ?? 0n)
}

/**
 * The reported usage. Events have no journal and no events of their own, because there can be very many. They never change,
 * except that a canceled event gets the time of its cancellation.
 */
export class MeterEventTable {
  readonly #statements: Statements
  readonly #cache: UsageCache | undefined
  #writes = 0

  /** @param isCached - whether aggregates are kept until the next write */
  constructor(statements: Statements, isCached: boolean) {
    this.#statements = statements
    this.#cache = isCached ? new UsageCache((formula, span) => this.#read(formula, span)) : undefined
  }

  /** Counts writes. While it is unchanged, a rollback of a savepoint leaves the cache valid. */
  get writes(): number {
    return this.#writes
  }

  /** Clears the cache. Must be called when rows were changed in another way than by this class. */
  forget(): void {
    this.#cache?.forget()
  }

  #written(): void {
    this.#writes += 1
    this.forget()
  }

  /** Adds an event. */
  add(row: Omit<MeterEventRow, 'seq' | 'canceled'>): void {
    this.#written()
    this.#statements
      .named('add meter event', (db) =>
        db.insertInto('meter_event').values({
          merchant: arg<number>('merchant'),
          customer: arg<string>('customer'),
          meter: arg<string>('meter'),
          timestamp: arg<number>('timestamp'),
          created: arg<number>('created'),
          canceled: null,
          whole: arg<number>('whole'),
          fraction: arg<number>('fraction'),
          identifier: arg<string>('identifier'),
        }),
      )
      .run(row)
  }

  /** Returns the event of a merchant with an identifier. */
  find(merchant: number, identifier: string): Selectable<MeterEventRow> | undefined {
    return findIndexed<Selectable<MeterEventRow>>(this.#statements, 'meter event', 'meter_event', {
      merchant,
      identifier,
    })
  }

  /** Cancels an event. @param canceled - Unix seconds */
  cancel(seq: number, canceled: number): void {
    this.#written()
    this.#statements
      .named('cancel meter event', (db) =>
        db
          .updateTable('meter_event')
          .set({ canceled: arg<number>('canceled') })
          .where('seq', '=', arg<number>('seq')),
      )
      .run({ seq, canceled })
  }

  /** Deletes all events of a customer. */
  removeOf(customer: string): void {
    this.#written()
    this.#statements
      .named('remove meter events', (db) =>
        db.deleteFrom('meter_event').where('customer', '=', arg<string>('customer')),
      )
      .run({ customer })
  }

  /** Aggregates the events of a span: a quantity in units of 10⁻¹², 0 without events. */
  aggregate(formula: Formula, span: UsageSpan): bigint {
    return this.#cache?.quantity(formula, span) ?? this.#read(formula, span).quantity
  }

  #read(formula: Formula, { asOf = LAST_INSTANT, ...span }: UsageSpan): Aggregate {
    const { columns, rest } = READINGS[formula]
    const found = this.#statements
      .named<Aggregate>(
        `usage ${formula}`,
        (db) => select(db, columns, rest),
        (values) => ({ quantity: quantityOf(values.slice(0, 4)), events: values[4] as number }),
      )
      .get({ ...span, asOf })
    return found ?? NO_EVENTS
  }

  /**
   * Aggregates the events of some windows of a span. Windows without events are left out, and only those of the page are read.
   * Windows begin at multiples of their length, as hours and days in UTC do, and so must the span.
   */
  windows(formula: Formula, span: UsageSpan, { seconds, limit, order }: WindowPage): WindowUsage[] {
    const found: WindowUsage[] = []
    let left = span
    while (found.length < limit) {
      const timestamp = this.#firstTimestamp(left, order)
      if (timestamp === undefined) break
      const start = timestamp - (timestamp % seconds)
      const end = start + seconds
      found.push({ start, quantity: this.aggregate(formula, { ...span, start, end }) })
      left = order === 'newest first' ? { ...left, end: start } : { ...left, start: end }
    }
    return found
  }

  /** Returns the timestamp of the first event of a span in an order; undefined without events. */
  #firstTimestamp(
    { asOf = LAST_INSTANT, ...span }: UsageSpan,
    order: WindowPage['order'],
  ): number | undefined {
    return this.#statements
      .named<number>(
        `usage ${order}`,
        (db) => select(db, sql`timestamp`, sql`and ${COUNTS} ${ORDERS[order]} limit ${literal(1)}`),
        ([timestamp]) => timestamp as number,
      )
      .get({ ...span, asOf })
  }
}

const select = (db: Kysely<Tables>, columns: ReturnType<typeof sql>, rest: ReturnType<typeof sql>) => ({
  compile: () => sql`select ${columns} from meter_event where ${IN_SPAN} ${rest}`.compile(db),
})
