import type { BilledPeriod, BilledSum } from '../core/billed-lines.ts'
import { arg, type Statements } from './statements.ts'

type Row = Omit<BilledPeriod, 'sums' | 'waiting'> & { readonly sums: string; readonly waiting: string }

/**
 * What was billed in the newest period of a subscription in which its plan changed, derived from its invoices. Rows can be
 * missing: they are then computed anew.
 */
export class BilledPeriodTable {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Returns what is stored of a subscription. */
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

  /** Stores what is billed, in place of what was stored of the subscription. */
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

  /** Deletes what is stored of a subscription. */
  delete(subscription: string): void {
    this.#statements
      .named('delete billed period', (db) =>
        db.deleteFrom('billed_period').where('subscription', '=', arg<string>('subscription')),
      )
      .run({ subscription })
  }
}

type StoredSum = [item: string, start: number, end: number, amount: number, count: number]

/** Writes sums as short JSON: there is one for each instant of a change. */
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
