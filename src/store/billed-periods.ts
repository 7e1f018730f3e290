import type { BilledPeriod, BilledSum } from '../core/billed-lines.ts'
import { arg, type Statements } from './statements.ts'

type Row = Omit<BilledPeriod, 'sums' | 'waiting'> & { readonly sums: string; readonly waiting: string }

/**
 * The sums that were billed in a subscription's newest period with a plan change. They are derived from its invoices: missing
 * rows are computed anew.
 */
export class BilledPeriodTable {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Returns the stored sums of a subscription. */
  get(subscription: string): BilledPeriod | undefined {
    const row = this.#statements
      .named<Row>('get billed period', (db) =>
        db
          .selectFrom('billed_period')
          .select(['cycle', 'beginning', 'through', 'sums', 'waiting'])
          .where('subscription', '=', arg<string>('subscription')),
      )
      .get({ subscription })
    return row && { ...row, sums: sumsOf(row.sums), waiting: sumsOf(row.waiting) }
  }

  /** Stores the sums of a subscription, and replaces earlier ones. */
  set(merchant: number, subscription: string, { sums, waiting, ...billed }: BilledPeriod): void {
    this.#statements
      .named('set billed period', (db) =>
        db.replaceInto('billed_period').values({
          subscription: arg<string>('subscription'),
          merchant: arg<number>('merchant'),
          cycle: arg<number>('cycle'),
          beginning: arg<number>('beginning'),
          through: arg<number>('through'),
          sums: arg<string>('sums'),
          waiting: arg<string>('waiting'),
        }),
      )
      .run({ ...billed, merchant, subscription, sums: textOf(sums), waiting: textOf(waiting) })
  }

  /** Deletes the stored sums of a subscription. */
  delete(subscription: string): void {
    this.#statements
      .named('delete billed period', (db) =>
        db.deleteFrom('billed_period').where('subscription', '=', arg<string>('subscription')),
      )
      .run({ subscription })
  }
}

type StoredSum = [item: string, start: number, end: number, amount: number, count: number]

/** Writes sums as short JSON, because each change adds sums. */
const textOf = (sums: readonly BilledSum[]): string =>
  JSON.stringify(
    sums.map(
      ({ subscription_item, start, end, amount, count }): StoredSum => [
        subscription_item,
        start,
        end,
        amount,
        count,
      ],
    ),
  )

const sumsOf = (text: string): BilledSum[] =>
  (JSON.parse(text) as StoredSum[]).map(([subscription_item, start, end, amount, count]) => ({
    subscription_item,
    start,
    end,
    amount,
    count,
  }))
