import { type RawBuilder, sql } from 'kysely'
import { ALL_EVENT_TYPES, type EventType, type Kind, kindNumber, kindOfNumber } from '../core/kinds.ts'
import { firstKeyframeAfterUntil } from './keyframes.ts'
import { allPresent, LISTED, type ListedEntry, type Missing, withReplaced } from './listed-entry.ts'
import type { Owed } from './next-due.ts'
import { movedFromCustomer, OWNER_OF_ENTRY, ownerBefore } from './ownership.ts'
import { idsInStateAt, idsOfItemsWaitingAt, owedAt, type PastOwner, type PastState } from './past-states.ts'
import { arg, type Statements } from './statements.ts'

/** The subject of a timeline; the objects that belong to it are included. */
export type TimelineScope = { readonly kind: 'customer' | 'subscription' | 'invoice'; readonly id: string }

/** A change in the journal; without a type it was silent. */
export type PastEntry = {
  readonly seq: number
  /** The seq of the object's previous entry. */
  readonly previous: number | null
  readonly merchant: number
  readonly number: number | null
  readonly type: EventType | null
  readonly kind: Kind
  readonly object: number
  readonly created: number
  /** A large value is read each time. */
  readonly replaced: Readonly<Record<string, unknown>> | null
  readonly request: string | null
  /** The size of large replaced values, in bytes; 0 for others. */
  readonly left_out: number
}

const numberOf = (kind: Kind) => sql.raw(String(kindNumber(kind)))

/** SQL: a customer's payment methods, also former ones. */
const METHODS_OF_CUSTOMER = sql`
  select seq from payment_method where customer = ${arg('id')} union ${movedFromCustomer('payment_method')}`

/**
 * SQL: the intents of some invoices, their charges, and the refunds and disputes of those. Each invoice has an intent of its own.
 * @param early - the objects that may have had an entry at the wanted instant
 */
const paymentsOf = (isInvoice: RawBuilder<unknown>, early: Early) => sql`
  select ${numberOf('payment_intent')}, paid.seq, paid.newest_entry from invoice
    cross join payment_intent paid on paid.id = invoice.payment_intent where ${isInvoice} ${early('invoice')}
  union all select ${numberOf('charge')}, paid.seq, paid.newest_entry from invoice
    cross join charge paid on paid.payment_intent = invoice.payment_intent
    where ${isInvoice} ${early('invoice')} ${early('paid')}
  union all select ${numberOf('refund')}, paid.seq, paid.newest_entry from invoice
    cross join refund paid on paid.payment_intent = invoice.payment_intent
    where ${isInvoice} ${early('invoice')} ${early('paid')}
  union all select ${numberOf('dispute')}, paid.seq, paid.newest_entry from invoice
    cross join dispute paid on paid.payment_intent = invoice.payment_intent
    where ${isInvoice} ${early('invoice')} ${early('paid')}`

/** SQL: the credit notes of some invoices. @param early - as for payments */
const creditsOf = (isInvoice: RawBuilder<unknown>, early: Early) => sql`
  select ${numberOf('credit_note')}, credit_note.seq, credit_note.newest_entry from invoice
    cross join credit_note on credit_note.invoice = invoice.id
    where ${isInvoice} ${early('invoice')} ${early('credit_note')}`

/** SQL: excludes the objects of a table that were created after the wanted instant. */
type Early = (table: string) => RawBuilder<unknown>
const created = (table: string) => sql`and ${sql.ref(`${table}.created`)} <= ${arg('until')}`

/**
 * SQL: all objects that a scope has now: the kind's number, the seq, and the newest journal entry. Payment methods and
 * intents without an invoice may come from a customer whose clock is ahead, so the time of their creation excludes nothing.
 */
const PLACES: Readonly<Record<TimelineScope['kind'], (early: Early) => RawBuilder<unknown>>> = {
  customer: (early) => sql`
    select ${numberOf('customer')} as kind, seq as object, newest_entry from customer where id = ${arg('id')}
    union all select ${numberOf('payment_method')}, seq, newest_entry from payment_method where customer = ${arg('id')}
    union all select ${numberOf('subscription')}, seq, newest_entry from subscription
      where customer = ${arg('id')} ${early('subscription')}
    union all select ${numberOf('subscription_schedule')}, seq, newest_entry from subscription_schedule
      where customer = ${arg('id')} ${early('subscription_schedule')}
    union all select ${numberOf('invoice')}, seq, newest_entry from invoice
      where customer = ${arg('id')} ${early('invoice')}
    union all select ${numberOf('credit_note')}, seq, newest_entry from credit_note
      where customer = ${arg('id')} ${early('credit_note')}
    union all select ${numberOf('payment_intent')}, seq, newest_entry from payment_intent
      where customer = ${arg('id')} and (invoice is null or (true ${early('payment_intent')}))
    union all select ${numberOf('charge')}, seq, newest_entry from charge
      where customer = ${arg('id')} ${early('charge')}
    union all select ${numberOf('discount')}, seq, newest_entry from discount
      where customer = ${arg('id')} ${early('discount')}
    union all select ${numberOf('refund')}, refund.seq, refund.newest_entry from charge join refund on refund.charge = charge.id
      where charge.customer = ${arg('id')} ${early('charge')} ${early('refund')}
    union all select ${numberOf('dispute')}, dispute.seq, dispute.newest_entry from charge
      cross join dispute on dispute.charge = charge.id
      where charge.customer = ${arg('id')} ${early('charge')} ${early('dispute')}`,
  subscription: (early) => sql`
    select ${numberOf('subscription')} as kind, seq as object, newest_entry from subscription where id = ${arg('id')}
    union all select ${numberOf('subscription_schedule')}, seq, newest_entry from subscription_schedule
      where customer = (select customer from subscription where id = ${arg('id')})
      and ${arg('id')} in (subscription, released_subscription) ${early('subscription_schedule')}
    union all select ${numberOf('invoice')}, seq, newest_entry from invoice
      where subscription = ${arg('id')} ${early('invoice')}
    union all select ${numberOf('discount')}, seq, newest_entry from discount
      where subscription = ${arg('id')} ${early('discount')}
    union all ${creditsOf(sql`invoice.subscription = ${arg('id')}`, early)}
    union all ${paymentsOf(sql`invoice.subscription = ${arg('id')}`, early)}`,
  invoice: (early) => sql`
    select ${numberOf('invoice')} as kind, seq as object, newest_entry from invoice where id = ${arg('id')}
    union all ${creditsOf(sql`invoice.id = ${arg('id')}`, early)}
    union all ${paymentsOf(sql`invoice.id = ${arg('id')}`, early)}`,
}

/** SQL: the objects that belonged to a scope earlier, but no longer do. */
const FORMER_PLACES: Readonly<Partial<Record<TimelineScope['kind'], RawBuilder<unknown>>>> = {
  customer: sql`
    select ${numberOf('payment_method')} as kind, seq as object, newest_entry from payment_method
      where seq in (${movedFromCustomer('payment_method')}) and customer is not ${arg('id')}
    union all select ${numberOf('payment_intent')}, seq, newest_entry from payment_intent
      where seq in (${movedFromCustomer('payment_intent')}) and customer is not ${arg('id')}`,
}

/**
 * SQL: the objects of a scope whose entries are read. For now, the newest entries belong to the objects that were changed
 * last, because the newest entry of an object belongs to its current owner. So only as many objects are needed as there
 * are entries wanted.
 */
function placesFor(kind: TimelineScope['kind'], isBounded: boolean): RawBuilder<unknown> {
  const former = FORMER_PLACES[kind]
  const current = isBounded
    ? PLACES[kind](created)
    : sql`select * from (${PLACES[kind](() => sql``)} order by newest_entry desc limit ${arg('limit')})`
  return former ? sql`${current} union all ${former}` : current
}

/** SQL: the current owner of a place's object: the customer of a movable object, else the subject of the scope. */
const OWNERS: Readonly<Record<TimelineScope['kind'], RawBuilder<unknown>>> = {
  customer: sql`case place.kind
    when ${numberOf('payment_method')} then (select customer from payment_method where seq = place.object)
    when ${numberOf('payment_intent')} then (select customer from payment_intent where seq = place.object)
    else ${arg('id')} end`,
  subscription: arg('id'),
  invoice: arg('id'),
}

/** Reads the journal by object and instant, rather than by event. */
export class EntryReader {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /**
   * Lists the changes of an object and of the objects that belonged to it at the time, newest first. The chains of all these
   * objects are merged, always from the newest entry, until there are enough.
   * @param until - Unix seconds, inclusive; undefined for all
   */
  entries(
    scope: TimelineScope,
    { until, limit }: { until?: number | undefined; limit: number },
  ): PastEntry[] {
    const isBounded = until !== undefined
    const customer = scope.kind === 'customer' ? sql`${arg('id')}` : undefined
    const keyframe = firstKeyframeAfterUntil(sql`place.kind`, sql`place.object`, customer)
    const last = isBounded ? sql`coalesce(${keyframe}, place.newest_entry)` : sql`place.newest_entry`
    // A keyframe at which the chain of a movable object starts shows it as the customer's.
    const owner = sql`case when journal.seq = place.newest_entry then ${OWNERS[scope.kind]} else ${arg('id')} end`
    // Of an entry that is missing, the other columns are null.
    // A join without an order of its own: then SQLite follows the chains no further than the limit.
    const rows = this.#statements
      .named<ListedEntry | Missing>(`past of ${scope.kind} ${isBounded}`, (db) => ({
        compile: () =>
          sql`with recursive chain (seq, previous, created, owner, former) as (
              select coalesce(journal.seq, ${last}), journal.previous, journal.created, ${owner}, ${ownerBefore(owner)}
              from (${placesFor(scope.kind, isBounded)}) place left join journal on journal.seq = ${last}
              union all
              select chain.previous, journal.previous, journal.created, chain.former, ${ownerBefore(sql`chain.former`)}
              from chain left join journal on journal.seq = chain.previous where chain.previous is not null
              order by 1 desc)
            select ${LISTED} from chain left join journal on journal.seq = chain.seq
            where journal.seq is null or (${OWNER_OF_ENTRY} = ${arg('id')}
            ${isBounded ? sql`and chain.created <= ${arg('until')}` : sql``}) limit ${arg('limit')}`.compile(
            db,
          ),
      }))
      .all({ id: scope.id, until, limit })
    return allPresent(rows, `${scope.kind} ${scope.id}`).map((row) =>
      withReplaced(this.#statements, row, entryOf(row)),
    )
  }

  /** Lists the ids of an owner's objects that were in a state at an instant, newest first. */
  idsInState(state: PastState, owner: PastOwner): string[] {
    return idsInStateAt(this.#statements, state, owner)
  }

  /** Sums up what was owed for the invoices of an owner that were open at an instant, by currency. */
  owedOf(owner: PastOwner): Owed[] {
    return owedAt(this.#statements, owner)
  }

  /** Lists the ids of the invoice items of some subscriptions that were in no finalized invoice at the end of an instant, oldest first. */
  itemsWaiting(of: Parameters<typeof idsOfItemsWaitingAt>[1]): string[] {
    return idsOfItemsWaitingAt(this.#statements, of)
  }

  /** Lists the ids of a customer's current and former payment methods, newest first. */
  paymentMethodsOf(customer: string): string[] {
    return this.#statements
      .named<{ id: string }>('methods of customer', (db) =>
        db
          .selectFrom('payment_method')
          .select('id')
          .where(sql<boolean>`seq in (${METHODS_OF_CUSTOMER})`)
          .orderBy('seq', 'desc'),
      )
      .all({ id: customer })
      .map(({ id }) => id)
  }
}

const entryOf = (row: ListedEntry): PastEntry => ({
  ...row,
  type: row.type === null ? null : (ALL_EVENT_TYPES[row.type] as EventType),
  kind: kindOfNumber(row.kind),
  replaced: row.replaced === null ? null : JSON.parse(row.replaced),
})
