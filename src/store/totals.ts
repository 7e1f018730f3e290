import { sql } from 'kysely'
import { INVOICE_STATUSES } from '../core/invoice-status.ts'
import { SUBSCRIPTION_STATUSES } from '../core/subscription-status.ts'
import { arg, literal, type Statements } from './statements.ts'

/** paytwin: the maximum number of charges to read, so that the time does not grow with the history. */
export const MAX_SUMMED_CHARGES = 10_000

export type StatusTotal = { readonly status: string; readonly count: number }

/** The charges of one day (UTC), currency and status. */
export type ChargeTotal = {
  /** Days since 1970. */
  readonly day: number
  readonly currency: string
  readonly status: string
  readonly amount: number
  readonly count: number
}

const STATUSES = { subscription: SUBSCRIPTION_STATUSES, invoice: INVOICE_STATUSES } as const

/** Counts and sums over the objects of a merchant, each from one index or from a limited number of rows. */
export class Totals {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Counts customers that are not deleted. */
  customers(merchant: number): number {
    const found = this.#statements
      .named<{ count: number }>('count customers', (db) =>
        db
          .selectFrom('customer')
          .select(sql<number>`count(*)`.as('count'))
          .where('merchant', '=', arg<number>('merchant'))
          .where('deleted', '=', literal(0)),
      )
      .get({ merchant })
    return found?.count ?? 0
  }

  /**
   * Counts the objects of a kind by their status. Drafts of invoices include deleted ones. A count for each status compares no
   * texts, which takes half the time of grouping by status.
   */
  byStatus(kind: keyof typeof STATUSES, merchant: number): StatusTotal[] {
    return this.#statements
      .named<StatusTotal>(`count ${kind} by status`, (db) =>
        db.selectFrom(sql<{ value: string }>`json_each(${arg('statuses')})`.as('known')).select((eb) => [
          'known.value as status',
          eb
            .selectFrom(kind as 'subscription')
            .select(sql<number>`count(*)`.as('count'))
            .where('merchant', '=', arg<number>('merchant'))
            .whereRef('status', '=', 'known.value')
            .as('count'),
        ]),
      )
      .all({ merchant, statuses: JSON.stringify(STATUSES[kind]) })
      .filter(({ count }) => count > 0)
  }

  /** Counts the active promotion codes of coupons, up to a limit. */
  activeCodes(coupons: readonly string[], limit: number): number {
    const row = this.#statements
      .named<{ count: number }>(`active codes to ${limit}`, (db) => ({
        compile: () =>
          sql`select count(*) as count from (
            select 1 from promotion_code
            where coupon in (select value from json_each(${arg('coupons')})) and active = 1
            limit ${literal(limit)})`.compile(db),
      }))
      .get({ coupons: JSON.stringify(coupons) })
    return row?.count ?? 0
  }

  /** Sums the newest charges of a merchant by day, oldest first. @param given.since - Unix seconds */
  chargesByDay(given: { readonly merchant: number; readonly since: number }): ChargeTotal[] {
    return this.#statements
      .named<ChargeTotal>('sum charges by day', (db) =>
        db
          .selectFrom((inner) =>
            inner
              .selectFrom('charge')
              .select(['created', 'currency', 'status', 'amount'])
              .where('merchant', '=', arg<number>('merchant'))
              .orderBy('seq', 'desc')
              .limit(literal(MAX_SUMMED_CHARGES))
              .as('newest'),
          )
          .select([
            sql<number>`created / 86400`.as('day'),
            'currency',
            'status',
            sql<number>`sum(amount)`.as('amount'),
            sql<number>`count(*)`.as('count'),
          ])
          .where('created', '>=', arg<number>('since'))
          .groupBy(['day', 'currency', 'status'])
          .orderBy('day')
          .orderBy('currency'),
      )
      .all(given)
  }
}
