import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Kind } from '../core/change.ts'
import { EVENT_TYPES, type EventType } from '../core/event.ts'
import { KINDS, kindNumber } from './columns.ts'
import { firstKeyframeAfterUntil } from './keyframes.ts'
import { OWNER_OF_ENTRY, ownerBefore } from './ownership.ts'
import { arg, type Statements } from './statements.ts'
import type { JournalRow } from './tables.ts'

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
  readonly replaced: Readonly<Record<string, unknown>> | null
  readonly request: string | null
}

const numberOf = (kind: Kind) => sql.raw(String(kindNumber(kind)))

/**
 * SQL: a customer's payment methods, also former ones. The hint keeps the planner from reading the entries of every
 * method.
 */
const METHODS_OF_CUSTOMER = sql`
  select seq from payment_method where customer = ${arg('id')}
  union select object from journal indexed by journal_detached
  where kind = ${numberOf('payment_method')} and json_extract(replaced, '$.customer') = ${arg('id')}`

/** SQL: a customer's intents, also those that moved to another customer. */
const INTENTS_OF_CUSTOMER = sql`
  select seq from payment_intent where customer = ${arg('id')}
  union select object from journal indexed by journal_moved
  where kind = ${numberOf('payment_intent')} and json_extract(replaced, '$.customer') is not null
  and json_extract(replaced, '$.customer') = ${arg('id')}`

const INTENTS_OF_SUBSCRIPTION = sql`select payment_intent from invoice where subscription = ${arg('id')}`
const INTENTS_OF_INVOICE = sql`select payment_intent from invoice where id = ${arg('id')}`

/** SQL: some intents, their charges, and the refunds of those. */
const paymentsOf = (intents: RawBuilder<unknown>) => sql`
  select ${numberOf('payment_intent')}, seq, newest_entry from payment_intent where id in (${intents})
  union all select ${numberOf('charge')}, seq, newest_entry from charge where payment_intent in (${intents})
  union all select ${numberOf('refund')}, seq, newest_entry from refund where payment_intent in (${intents})`

/** SQL: all objects of a scope: the kind's number, the seq, and the newest journal entry. */
const PLACES: Readonly<Record<TimelineScope['kind'], RawBuilder<unknown>>> = {
  customer: sql`
    select ${numberOf('customer')} as kind, seq as object, newest_entry from customer where id = ${arg('id')}
    union all select ${numberOf('payment_method')}, seq, newest_entry from payment_method where seq in (${METHODS_OF_CUSTOMER})
    union all select ${numberOf('subscription')}, seq, newest_entry from subscription where customer = ${arg('id')}
    union all select ${numberOf('invoice')}, seq, newest_entry from invoice where customer = ${arg('id')}
    union all select ${numberOf('payment_intent')}, seq, newest_entry from payment_intent where seq in (${INTENTS_OF_CUSTOMER})
    union all select ${numberOf('charge')}, seq, newest_entry from charge where customer = ${arg('id')}
    union all select ${numberOf('refund')}, refund.seq, refund.newest_entry from charge join refund on refund.charge = charge.id
      where charge.customer = ${arg('id')}`,
  subscription: sql`
    select ${numberOf('subscription')} as kind, seq as object, newest_entry from subscription where id = ${arg('id')}
    union all select ${numberOf('invoice')}, seq, newest_entry from invoice where subscription = ${arg('id')}
    union all ${paymentsOf(INTENTS_OF_SUBSCRIPTION)}`,
  invoice: sql`
    select ${numberOf('invoice')} as kind, seq as object, newest_entry from invoice where id = ${arg('id')}
    union all ${paymentsOf(INTENTS_OF_INVOICE)}`,
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
   * Lists the changes of an object and of what belonged to it at the time, newest first. The chains of all these
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
    // A join without an order of its own: then SQLite follows the chains no further than the limit.
    return this.#statements
      .named<Selectable<JournalRow>>(`past of ${scope.kind} ${isBounded}`, (db) => ({
        compile: () =>
          sql`with recursive chain (seq, previous, created, owner, former) as (
              select journal.seq, journal.previous, journal.created, ${owner}, ${ownerBefore(owner)}
              from (${PLACES[scope.kind]}) place cross join journal on journal.seq = ${last}
              union all
              select journal.seq, journal.previous, journal.created, chain.former, ${ownerBefore(sql`chain.former`)}
              from chain cross join journal on journal.seq = chain.previous
              order by 1 desc)
            select journal.* from chain cross join journal on journal.seq = chain.seq
            where ${OWNER_OF_ENTRY} = ${arg('id')}
            ${isBounded ? sql`and chain.created <= ${arg('until')}` : sql``} limit ${arg('limit')}`.compile(
            db,
          ),
      }))
      .all({ id: scope.id, until, limit })
      .map(entryOf)
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

const entryOf = (row: Selectable<JournalRow>): PastEntry => ({
  ...row,
  type: row.type === null ? null : (EVENT_TYPES[row.type] as EventType),
  kind: KINDS[row.kind] as Kind,
  replaced: row.replaced === null ? null : JSON.parse(row.replaced),
})
