import { type Kysely, type Selectable, sql } from 'kysely'
import { LAST_INSTANT } from '../core/calendar.ts'
import type { Formula } from '../core/meter.ts'
import { SCALE } from '../core/price-amount.ts'
import { arg, literal, type Statements } from './statements.ts'
import type { MeterEventRow, Tables } from './tables.ts'

/** The events of one meter and customer in a span of time. `start` is inclusive, `end` exclusive, in Unix seconds. */
export type UsageSpan = {
  readonly customer: string
  readonly meter: string
  readonly start: number
  readonly end: number
  /** Only usage that was known at the end of this instant of the customer's clock; by default all usage. */
  readonly asOf?: number | undefined
}

/** The usage of one window of a span. */
export type WindowUsage = { readonly start: number; readonly quantity: bigint }

/** Sums are taken of the upper and the lower digits of each part, so that no sum exceeds SQLite's integers. */
const HALF = 1_000_000
const PARTS = sql<string>`
  sum(whole / ${sql.lit(HALF)}), sum(whole % ${sql.lit(HALF)}),
  sum(fraction / ${sql.lit(HALF)}), sum(fraction % ${sql.lit(HALF)})`

/** Returns the columns of a result, from which `quantityOf` makes the quantity. */
const COLUMNS: Readonly<Record<Formula, ReturnType<typeof sql>>> = {
  sum: PARTS,
  count: sql`0, count(*), 0, 0`,
  last: sql`
    whole / ${sql.lit(HALF)}, whole % ${sql.lit(HALF)}, fraction / ${sql.lit(HALF)}, fraction % ${sql.lit(HALF)}`,
}

/** The condition of all statements, in the order of the index. */
const IN_SPAN = sql`
  customer = ${arg('customer')} and meter = ${arg('meter')}
  and timestamp >= ${arg('start')} and timestamp < ${arg('end')}
  and created <= ${arg('asOf')} and (canceled is null or canceled > ${arg('asOf')})`

const NEWEST_FIRST = sql`order by timestamp desc, seq desc`

/** Converts the four parts of a result, from its first column on, to a quantity in units of 10⁻¹². */
function quantityOf(values: readonly unknown[], first: number): bigint {
  const [high, low, highFraction, lowFraction] = values
    .slice(first, first + 4)
    .map((value) => BigInt((value ?? 0) as number))
  const half = BigInt(HALF)
  return ((high ?? 0n) * half + (low ?? 0n)) * SCALE + (highFraction ?? 0n) * half + (lowFraction ?? 0n)
}

/**
 * The reported usage. Events have no journal and no events of their own, because there can be very many. They never change,
 * except that a canceled event gets the time of its cancellation.
 */
export class MeterEventTable {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Adds an event. */
  add(row: Omit<MeterEventRow, 'seq' | 'canceled'>): void {
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
    return this.#statements
      .named<Selectable<MeterEventRow>>('meter event', (db) =>
        db
          .selectFrom('meter_event')
          .selectAll()
          .where('merchant', '=', arg<number>('merchant'))
          .where('identifier', '=', arg<string>('identifier')),
      )
      .get({ merchant, identifier })
  }

  /** Cancels an event. @param canceled - Unix seconds */
  cancel(seq: number, canceled: number): void {
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
    this.#statements
      .named('remove meter events', (db) =>
        db.deleteFrom('meter_event').where('customer', '=', arg<string>('customer')),
      )
      .run({ customer })
  }

  /** Aggregates the events of a span in one statement: a quantity in units of 10⁻¹², 0 without events. */
  aggregate(formula: Formula, { asOf = LAST_INSTANT, ...span }: UsageSpan): bigint {
    const isLast = formula === 'last'
    const found = this.#statements
      .named<bigint>(
        `usage ${formula}`,
        (db) => select(db, COLUMNS[formula], isLast ? sql`${NEWEST_FIRST} limit ${literal(1)}` : sql``),
        (values) => quantityOf(values, 0),
      )
      .get({ ...span, asOf })
    return found ?? 0n
  }

  /**
   * Aggregates the events of each window of a span, newest first. Windows without events are left out.
   * @param window - its length in seconds
   */
  windows(formula: Formula, { asOf = LAST_INSTANT, ...span }: UsageSpan, window: number): WindowUsage[] {
    return this.#statements
      .named<WindowUsage>(
        `usage ${formula} by ${window} s`,
        (db) => windowed(db, formula, window),
        (values) => ({ start: values[0] as number, quantity: quantityOf(values, 1) }),
      )
      .all({ ...span, asOf })
  }
}

const select = (db: Kysely<Tables>, columns: ReturnType<typeof sql>, rest: ReturnType<typeof sql>) => ({
  compile: () => sql`select ${columns} from meter_event where ${IN_SPAN} ${rest}`.compile(db),
})

/**
 * Windows begin at multiples of their length, as hours and days in UTC do. The last event of a window is the first one in the
 * order of the index whose window differs from that of the row before, so each row is read once.
 */
function windowed(db: Kysely<Tables>, formula: Formula, window: number) {
  const start = sql`timestamp - timestamp % ${literal(window)}`
  const compile = () =>
    formula === 'last'
      ? sql`
          select start, ${COLUMNS.last} from (
            select ${start} as start, whole, fraction,
            lag(${start}) over (${NEWEST_FIRST}) as later from meter_event where ${IN_SPAN})
          where later is null or later <> start order by start desc`.compile(db)
      : sql`
          select ${start} as start, ${COLUMNS[formula]} from meter_event where ${IN_SPAN}
          group by 1 order by 1 desc`.compile(db)
  return { compile }
}
