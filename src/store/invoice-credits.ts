import { sql } from 'kysely'
import { type CreditNote, type CreditNoteLine, isIssued } from '../core/credit-note.ts'
import { arg, type Statements } from './statements.ts'

/** A credited line of an invoice, and the credited amount. */
type Credit = readonly [line: string, amount: number]

/**
 * Answers what the credit notes of an invoice have credited, without reading their lines. The table `line_credit` has the sum that
 * issued credit notes credit of each line of an invoice.
 */
export class InvoiceCredits {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Counts the credit notes of an invoice, void ones too. */
  count(invoice: string): number {
    const row = this.#statements
      .named<{ count: number }>('credit notes of invoice', (db) => ({
        compile: () =>
          sql`select count(*) as count from credit_note where invoice = ${arg('invoice')}`.compile(db),
      }))
      .get({ invoice })
    return row?.count ?? 0
  }

  /** Sums up the refunds of issued credit notes of an invoice that have not failed. */
  refunded(invoice: string): number {
    const row = this.#statements
      .named<{ amount: number | null }>('refunded by credit notes', (db) => ({
        compile: () =>
          sql`select sum(refund.amount) as amount
            from credit_note cross join refund on refund.id = credit_note.refund
            where credit_note.invoice = ${arg('invoice')} and credit_note.status = 'issued'
            and refund.status <> 'failed'`.compile(db),
      }))
      .get({ invoice })
    return row?.amount ?? 0
  }

  /** Returns the id of the issued credit note of an invoice that has a refund; undefined without one. */
  holderOf(invoice: string, refund: string): string | undefined {
    return this.#statements
      .named<{ id: string }>('credit note with refund', (db) =>
        db
          .selectFrom('credit_note')
          .select('id')
          .where('invoice', '=', arg<string>('invoice'))
          .where('refund', '=', arg<string>('refund'))
          .where('status', '=', 'issued'),
      )
      .get({ invoice, refund })?.id
  }

  /** Returns the sums that issued credit notes credit of lines of invoices, by the ids of the lines. */
  ofLines(merchant: number, lines: readonly string[]): Map<string, number> {
    const rows = this.#statements
      .named<{ line: string; amount: number }>('credits of lines', (db) => ({
        compile: () =>
          sql`select line, amount from line_credit where merchant = ${arg('merchant')}
            and line in (select value from json_each(${arg('lines')}))`.compile(db),
      }))
      .all({ merchant, lines: JSON.stringify(lines) })
    return new Map(rows.map(({ line, amount }) => [line, amount]))
  }
}

/** Updates the sums of the lines that a credit note credits. */
export function updateLineCredits(
  statements: Statements,
  merchant: number,
  before: CreditNote | undefined,
  after: CreditNote,
): void {
  if (before && isIssued(before) === isIssued(after)) return
  const sign = isIssued(after) ? 1 : -1
  const credits = after.lines.flatMap(creditOf).map(([line, amount]): Credit => [line, sign * amount])
  if (credits.length > 0) add(statements, merchant, credits)
}

const creditOf = ({ invoice_line_item, amount }: CreditNoteLine): Credit[] =>
  invoice_line_item === null ? [] : [[invoice_line_item, amount]]

function add(statements: Statements, merchant: number, credits: readonly Credit[]): void {
  statements
    .named('add line credits', (db) => ({
      compile: () =>
        sql`insert into line_credit (merchant, line, amount)
          select ${arg('merchant')}, value ->> 0, value ->> 1 from json_each(${arg('credits')}) where true
          on conflict do update set amount = line_credit.amount + excluded.amount`.compile(db),
    }))
    .run({ merchant, credits: JSON.stringify(credits) })
}
