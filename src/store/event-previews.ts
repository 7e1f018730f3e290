import { assert } from '../core/errors.ts'
import type { Invoice } from '../core/invoice.ts'
import { arg, type Statements } from './statements.ts'

/**
 * The invoices that events show in place of their objects. Such an invoice does not exist: it has no row and no journal.
 */
export class EventPreviews {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  add(place: { readonly entry: number; readonly merchant: number }, invoice: Invoice): void {
    this.#statements
      .named('add event preview', (db) =>
        db.insertInto('event_preview').values({
          entry: arg<number>('entry'),
          merchant: arg<number>('merchant'),
          invoice: arg<string>('invoice'),
        }),
      )
      .run({ ...place, invoice: JSON.stringify(invoice) })
  }

  /** Returns the invoice that the event of a journal entry shows, with its length as it is stored, in characters. */
  get(entry: number): { readonly invoice: Invoice; readonly length: number } {
    const row = this.#statements
      .named<{ invoice: string }>('event preview', (db) =>
        db.selectFrom('event_preview').select('invoice').where('entry', '=', arg<number>('entry')),
      )
      .get({ entry })
    assert(row, `the journal entry ${entry} has a preview`)
    return { invoice: JSON.parse(row.invoice), length: row.invoice.length }
  }
}
