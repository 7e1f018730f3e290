import { sql } from 'kysely'
import type { InvoiceOwner, Owed } from './next-due.ts'
import { arg, type Statements } from './statements.ts'

/** States of objects, with the fields that have the instant of their begin and those of their end. */
const STATES = {
  draft: { kind: 'invoice', begin: 'created', ends: ['finalized_at'] },
  open: { kind: 'invoice', begin: 'finalized_at', ends: ['paid_at', 'voided_at', 'marked_uncollectible_at'] },
  unfinished: {
    kind: 'subscription_schedule',
    begin: 'created',
    ends: ['completed_at', 'released_at', 'canceled_at'],
  },
} as const
export type PastState = keyof typeof STATES

/** The owner of objects, and an instant in Unix seconds. What ended at the instant is no longer in its state. */
export type PastOwner = { readonly owner: InvoiceOwner; readonly instant: number }

const ownerField = ({ owner }: PastOwner) => (owner.subscription === undefined ? 'customer' : 'subscription')

/** SQL: the objects of an owner that were in a state. */
function inState(state: PastState, past: PastOwner) {
  const { kind, begin, ends } = STATES[state]
  const had = (field: string) => sql`${sql.ref(field)} <= ${arg('instant')}`
  const hadNot = ends.map((end) => sql`(${had(end)}) is not true`)
  return sql`from ${sql.table(kind)} where ${sql.ref(ownerField(past))} = ${arg(ownerField(past))}
    and ${had(begin)} and ${sql.join(hadNot, sql` and `)}`
}

/** Lists the ids of an owner's objects that were in a state at an instant, newest first. */
export const idsInStateAt = (statements: Statements, state: PastState, past: PastOwner): string[] =>
  statements
    .named<{ id: string }>(`${state} of ${ownerField(past)} at`, (db) => ({
      compile: () => sql`select id ${inState(state, past)} order by seq desc`.compile(db),
    }))
    .all({ ...past.owner, instant: past.instant })
    .map(({ id }) => id)

/**
 * Sums up what was owed at an instant for the invoices that were open then, by currency. Their totals are those of now, and nothing
 * was paid: an invoice is paid in full, and its lines do not change after its finalization.
 */
export const owedAt = (statements: Statements, past: PastOwner): Owed[] =>
  statements
    .named<Owed>(`sums of ${ownerField(past)} at`, (db) => ({
      compile: () =>
        sql`select sum(total) as amount, currency ${inState('open', past)}
          group by currency order by max(seq) desc`.compile(db),
    }))
    .all({ ...past.owner, instant: past.instant })

/** Lists the ids of a customer's invoice items that were in no finalized invoice at the end of an instant, oldest first. */
export const idsOfItemsWaitingAt = (
  statements: Statements,
  given: {
    readonly customer: string
    /** The subscriptions with which they are billed. */
    readonly subscriptions: readonly string[]
    readonly instant: number
  },
): string[] =>
  statements
    .named<{ id: string }>('items waiting at', (db) => ({
      compile: () =>
        sql`select item.id from invoice_item item left join invoice on invoice.id = item.invoice
          where item.customer = ${arg('customer')} and item.created <= ${arg('instant')}
          and item.subscription in (select value from json_each(${arg('subscriptions')}))
          and (invoice.finalized_at <= ${arg('instant')}) is not true order by item.seq`.compile(db),
    }))
    .all({ ...given, subscriptions: JSON.stringify(given.subscriptions) })
    .map(({ id }) => id)
