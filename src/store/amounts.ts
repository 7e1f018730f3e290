import { sql } from 'kysely'
import { arg, type Statements } from './statements.ts'

/** The number of a merchant's objects with the same amount, currency and status. */
export type AmountCount = {
  readonly amount: number
  readonly currency: string
  readonly status: string
  readonly count: number
}

/** The kinds of objects that move the merchant's money. */
export type MovingKind = 'charge' | 'refund' | 'dispute'

/** Counts a merchant's objects of a kind by amount, currency and status. */
export const countAmounts = (statements: Statements, kind: MovingKind, merchant: number): AmountCount[] =>
  statements
    .named<AmountCount>(`amounts of ${kind}`, (db) => ({
      compile: () =>
        sql`select amount, currency, status, count(*) as count from ${sql.table(kind)}
          where merchant = ${arg('merchant')} group by currency, amount, status`.compile(db),
    }))
    .all({ merchant })
