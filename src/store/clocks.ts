import { type Selectable, sql } from 'kysely'
import { findIndexed } from './damage.ts'
import { arg, literal, type Statements } from './statements.ts'
import type { ClockRow } from './tables.ts'

export type StoredClock = Selectable<ClockRow>

/** A page of test clocks, as a range of seqs. `below` and `above` are exclusive. */
export type ClockPage = {
  readonly limit: number
  readonly below?: number | undefined
  readonly above?: number | undefined
}

// Literals: a partial index applies only if its condition is visible in the statement.
const IS_MAIN = sql<boolean>`is_test = 0`
const IS_TEST = sql<boolean>`is_test = 1`
const IS_PRESENT = sql<boolean>`deleted = 0`

/** The clocks of all merchants: each has one main clock, and any number of test clocks for single customers. */
export class ClockTable {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Returns the main clock of a merchant. */
  main(merchant: number): StoredClock | undefined {
    return this.#statements
      .named<StoredClock>('main clock', (db) =>
        db.selectFrom('clock').selectAll().where('merchant', '=', arg<number>('merchant')).where(IS_MAIN),
      )
      .get({ merchant })
  }

  at(seq: number): StoredClock | undefined {
    return this.#statements
      .named<StoredClock>('clock at', (db) =>
        db.selectFrom('clock').selectAll().where('seq', '=', arg<number>('seq')),
      )
      .get({ seq })
  }

  /** Returns a test clock of a merchant, even if it is deleted. */
  test(merchant: number, id: string): StoredClock | undefined {
    const clock = findIndexed<StoredClock>(this.#statements, 'test clock', 'clock', { id })
    return clock?.merchant === merchant && clock.is_test === 1 ? clock : undefined
  }

  /** Lists the test clocks of a merchant: oldest first if only `above` is given, otherwise newest first. */
  tests(merchant: number, { limit, below, above }: ClockPage): StoredClock[] {
    const side = below !== undefined ? 'below' : above !== undefined ? 'above' : 'top'
    return this.#statements
      .named<StoredClock>(`${limit} test clocks ${side}`, (db) => {
        const query = db
          .selectFrom('clock')
          .selectAll()
          .where('merchant', '=', arg<number>('merchant'))
          .where(IS_TEST)
          .where(IS_PRESENT)
          .orderBy('seq', side === 'above' ? 'asc' : 'desc')
          .limit(literal(limit))
        if (side === 'top') return query
        return query.where('seq', side === 'below' ? '<' : '>', arg<number>('place'))
      })
      .all({ merchant, place: below ?? above })
  }

  /** Lists the test clocks of a merchant that are advancing. */
  advancing(merchant: number): StoredClock[] {
    return this.#statements
      .named<StoredClock>('advancing test clocks', (db) =>
        db
          .selectFrom('clock')
          .selectAll()
          .where('merchant', '=', arg<number>('merchant'))
          .where(IS_TEST)
          .where('target', 'is not', null)
          .orderBy('seq'),
      )
      .all({ merchant })
  }

  /** Makes live clocks continue from their stored time. @param now - the wall clock, in Unix seconds */
  resumeLive(now: number): void {
    this.#statements
      .named('resume live clocks', (db) =>
        db
          .updateTable('clock')
          .set({ offset: sql<number>`now - ${arg<number>('now')}` })
          .where('mode', '=', sql<'live'>`'live'`),
      )
      .run({ now })
  }

  /** @returns the new clock's seq */
  add(clock: Omit<StoredClock, 'seq'>): number {
    return this.#statements
      .named('add clock', (db) =>
        db.insertInto('clock').values({
          id: arg<string>('id'),
          merchant: arg<number>('merchant'),
          created: arg<number>('created'),
          is_test: arg<number>('is_test'),
          name: arg<string | null>('name'),
          deleted: arg<number>('deleted'),
          mode: arg<ClockRow['mode']>('mode'),
          now: arg<number>('now'),
          offset: arg<number>('offset'),
          target: arg<number | null>('target'),
          advance: arg<string | null>('advance'),
        }),
      )
      .run(clock)
  }

  /**
   * Writes the state of a clock. The seq of a deleted merchant's clock can be reused, so the id is compared too: a
   * stale clock must not overwrite the new one.
   */
  update(clock: StoredClock): void {
    this.#statements
      .named('update clock', (db) =>
        db
          .updateTable('clock')
          .set({
            deleted: arg<number>('deleted'),
            mode: arg<ClockRow['mode']>('mode'),
            now: arg<number>('now'),
            offset: arg<number>('offset'),
            target: arg<number | null>('target'),
            advance: arg<string | null>('advance'),
          })
          .where('seq', '=', arg<number>('seq'))
          .where('id', '=', arg<string>('id')),
      )
      .run(clock)
  }
}
