import { sql } from 'kysely'
import type { Invoice } from '../core/invoice.ts'
import { MAX_PAGE_LENGTH } from '../core/json-text.ts'
import type { Subscription } from '../core/subscription.ts'
import { codecOf } from './codec.ts'
import { columnsOf } from './columns.ts'
import { HAS_NOT_ENDED } from './customer-facts.ts'
import { arg, type Cut, literal, type Statements } from './statements.ts'

/** A customer, or one of its subscriptions. */
export type InvoiceOwner = { readonly customer: string; readonly subscription?: string | undefined }
export type InvoiceOrder = 'newest first' | 'next due first'
export type Owed = { readonly amount: number; readonly currency: string }

// The index has all columns that are compared or summed up, so that no row is read for them.
// A literal: a partial index applies only if its condition is visible in the statement.
const ofOwner = ({ subscription }: InvoiceOwner) =>
  sql`from invoice indexed by invoice_owed where customer = ${arg('customer')} and status = 'open'
    ${subscription === undefined ? sql`` : sql`and subscription = ${arg('subscription')}`}`

const kindOfOwner = ({ subscription }: InvoiceOwner) =>
  subscription === undefined ? 'customer' : 'subscription'

const columns = (kind: 'invoice' | 'subscription') =>
  sql.join(Object.keys(columnsOf(kind)).map((name) => sql.ref(name)))

/** The order of the next attempts and due dates; invoices without one come last. */
const NEXT_DUE = sql`ifnull(next_payment_attempt, iif(overdue = 0, due_date, null)) nulls last, seq desc`

// The rows are read after the sort, which would copy them.

/** Lists the first open invoices of an owner, up to the length of a page. */
export function openInvoices(
  statements: Statements,
  owner: InvoiceOwner,
  { order, limit }: { readonly order: InvoiceOrder; readonly limit: number },
): Cut<Invoice> {
  const { decode, nestedLength: lengthOf } = codecOf('invoice')
  return statements
    .named<Invoice>(
      `open invoices of ${kindOfOwner(owner)} ${order} ${limit}`,
      (db) => ({
        compile: () =>
          sql`select ${columns('invoice')} from (select seq as found ${ofOwner(owner)}
            order by ${order === 'newest first' ? sql`seq desc` : NEXT_DUE} limit ${literal(limit)})
            cross join invoice on invoice.seq = found`.compile(db),
      }),
      decode,
    )
    .allWithin(owner, { maxLength: MAX_PAGE_LENGTH, lengthOf })
}

/** Sums up what is owed for the open invoices of an owner, by currency. */
export const owedOf = (statements: Statements, owner: InvoiceOwner): Owed[] =>
  statements
    .named<Owed>(`owed of ${kindOfOwner(owner)}`, (db) => ({
      compile: () =>
        sql`select sum(total - amount_paid) as amount, currency ${ofOwner(owner)}
          group by currency order by max(seq) desc`.compile(db),
    }))
    .all(owner)

/** Lists a customer's subscriptions that have not ended and have the next due dates, up to the length of a page. */
export function nextDueSubscriptions(
  statements: Statements,
  customer: string,
  limit: number,
): readonly Subscription[] {
  const { decode, nestedLength: lengthOf } = codecOf('subscription')
  return statements
    .named<Subscription>(
      `next due subscriptions ${limit}`,
      (db) => ({
        compile: () =>
          sql`select ${columns('subscription')} from (select seq as found
            from subscription indexed by subscription_not_ended
            where customer = ${arg('customer')} and ${HAS_NOT_ENDED}
            order by min(current_period_end, ifnull(cancel_at, current_period_end),
              ifnull(expires_at, current_period_end)), seq desc limit ${literal(limit)})
            cross join subscription on subscription.seq = found`.compile(db),
      }),
      decode,
    )
    .allWithin({ customer }, { maxLength: MAX_PAGE_LENGTH, lengthOf }).rows
}
