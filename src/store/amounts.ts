import { sql } from 'kysely'
import { arg, literal, type Statements } from './statements.ts'

/** The number of a merchant's objects with the same amount, currency and status. */
export type AmountCount = {
  readonly amount: number
  readonly currency: string
  readonly status: string
  readonly count: number
}

/** The kinds of objects that move the merchant's money. */
export type MovingKind = 'charge' | 'refund' | 'dispute'

/** paytwin: the number of objects that a step counts. Each takes some 2 µs. */
const STEP_ROWS = 1_000

/**
 * Counts a merchant's objects of a kind by amount, currency and status, in short steps. Each step returns the counts of further
 * objects, in the order of their creation.
 */
export function* countAmounts(
  statements: Statements,
  kind: MovingKind,
  merchant: number,
): Generator<AmountCount[], void> {
  const step = statements.named<AmountCount & { readonly last: number }>(`amounts of ${kind}`, (db) => ({
    compile: () =>
      sql`select amount, currency, status, count(*) as count, max(seq) as last from (
          select amount, currency, status, seq from ${sql.table(kind)} indexed by ${sql.ref(`${kind}_merchant`)}
          where merchant = ${arg('merchant')} and seq > ${arg('after')} order by seq limit ${literal(STEP_ROWS)}
        ) group by currency, amount, status`.compile(db),
  }))
  for (let after = 0, isEnd = false; !isEnd; ) {
    const counts = step.all({ merchant, after })
    yield counts
    after = Math.max(after, ...counts.map(({ last }) => last))
    isEnd = counts.reduce((sum, { count }) => sum + count, 0) < STEP_ROWS
  }
}
