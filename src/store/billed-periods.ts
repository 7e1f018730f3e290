import type { BilledPeriod, BilledSum } from '../core/billed-lines.ts'
import { arg, type Statements } from './statements.ts'

type Row = Omit<BilledPeriod, 'sums' | 'corrections'> & {
  readonly sums: string
  readonly corrections: string
}

/** A stored text, and its sums. */
type Parsed = { readonly text: string; readonly sums: readonly BilledSum[] }

/**
 * The sums that were billed in a subscription's newest period with a plan change. They are derived from its invoices: missing
 * rows are computed anew.
 */
export class BilledPeriodTable {
  readonly #statements: Statements
  /**
   * What was read or written last. A change of a plan reads the same sums twice, and a preview rehearses up to ten phases of a
   * schedule. The sums are used again if the stored text is the same, which holds after a rollback, too.
   */
  #last: { readonly sums: Parsed; readonly corrections: Parsed } = { sums: EMPTY, corrections: EMPTY }

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Returns the stored sums of a subscription. */
  get(subscription: string): BilledPeriod | undefined {
    const row = this.#statements
      .named<Row>('get billed period', (db) =>
        db
          .selectFrom('billed_period')
          .select(['cycle', 'beginning', 'through', 'sums', 'corrections'])
          .where('subscription', '=', arg<string>('subscription')),
      )
      .get({ subscription })
    if (!row) return undefined
    const sums = parsed(row.sums, this.#last.sums)
    const corrections = parsed(row.corrections, this.#last.corrections)
    this.#last = { sums, corrections }
    return { ...row, sums: sums.sums, corrections: corrections.sums }
  }

  /** Stores the sums of a subscription, and replaces earlier ones. */
  set(merchant: number, subscription: string, { sums, corrections, ...billed }: BilledPeriod): void {
    const newest = {
      sums: { text: textOf(sums), sums },
      corrections: { text: textOf(corrections), sums: corrections },
    }
    this.#last = newest
    this.#statements
      .named('set billed period', (db) =>
        db.replaceInto('billed_period').values({
          subscription: arg<string>('subscription'),
          merchant: arg<number>('merchant'),
          cycle: arg<number>('cycle'),
          beginning: arg<number>('beginning'),
          through: arg<number>('through'),
          sums: arg<string>('sums'),
          corrections: arg<string>('corrections'),
        }),
      )
      .run({
        ...billed,
        merchant,
        subscription,
        sums: newest.sums.text,
        corrections: newest.corrections.text,
      })
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

const EMPTY: Parsed = { text: '[]', sums: [] }

/** Parses sums, or returns the last ones if their text is the same. */
const parsed = (text: string, other: Parsed): Parsed =>
  text === other.text ? other : { text, sums: sumsOf(text) }

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
