import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Kind, Objects } from '../core/change.ts'
import { EVENT_TYPES, type EventType } from '../core/event.ts'
import { KINDS, kindNumber } from './columns.ts'
import type { ObjectTable } from './objects.ts'
import { arg, literal, type Statements } from './statements.ts'
import type { JournalRow } from './tables.ts'

/** Whose past is asked for: with an object go those that belong to it. */
export type Scope = { readonly kind: 'customer' | 'subscription' | 'invoice'; readonly id: string }

/** A change as the journal holds it; without a type it was silent. */
export type PastEntry = {
  readonly seq: number
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

/** A customer's methods, those that it has no more too. Left alone, the planner would read the past of every method. */
const METHODS_OF_CUSTOMER = sql`
  select seq from payment_method where customer = ${arg('id')}
  union select object from journal indexed by journal_detached
  where kind = ${numberOf('payment_method')} and json_extract(replaced, '$.customer') = ${arg('id')}`

const INTENTS_OF_SUBSCRIPTION = sql`select payment_intent from invoice where subscription = ${arg('id')}`
const INTENTS_OF_INVOICE = sql`select payment_intent from invoice where id = ${arg('id')}`

/** The intents of some invoices, their charges, and the refunds of those. */
const paymentsOf = (intents: RawBuilder<unknown>) => sql`
  select ${numberOf('payment_intent')}, seq from payment_intent where id in (${intents})
  union all select ${numberOf('charge')}, seq from charge where payment_intent in (${intents})
  union all select ${numberOf('refund')}, seq from refund where payment_intent in (${intents})`

/** The places of all objects of a scope: the number of the kind, and the seq. */
const PLACES: Readonly<Record<Scope['kind'], RawBuilder<unknown>>> = {
  customer: sql`
    select ${numberOf('customer')} as kind, seq as object from customer where id = ${arg('id')}
    union all select ${numberOf('payment_method')}, seq from (${METHODS_OF_CUSTOMER})
    union all select ${numberOf('subscription')}, seq from subscription where customer = ${arg('id')}
    union all select ${numberOf('invoice')}, seq from invoice where customer = ${arg('id')}
    union all select ${numberOf('payment_intent')}, seq from payment_intent where customer = ${arg('id')}
    union all select ${numberOf('charge')}, seq from charge where customer = ${arg('id')}
    union all select ${numberOf('refund')}, refund.seq from charge join refund on refund.charge = charge.id
      where charge.customer = ${arg('id')}`,
  subscription: sql`
    select ${numberOf('subscription')} as kind, seq as object from subscription where id = ${arg('id')}
    union all select ${numberOf('invoice')}, seq from invoice where subscription = ${arg('id')}
    union all ${paymentsOf(INTENTS_OF_SUBSCRIPTION)}`,
  invoice: sql`
    select ${numberOf('invoice')} as kind, seq as object from invoice where id = ${arg('id')}
    union all ${paymentsOf(INTENTS_OF_INVOICE)}`,
}

/** The journal read by object and by instant, rather than by event. */
export class Past {
  readonly #statements: Statements
  readonly #objects: ObjectTable

  constructor(statements: Statements, objects: ObjectTable) {
    this.#statements = statements
    this.#objects = objects
  }

  /**
   * The changes of an object and of what belongs to it, newest first.
   * @param until - Unix seconds, inclusive; undefined for all, which the index answers by itself
   */
  entries(scope: Scope, { until, limit }: { until?: number | undefined; limit: number }): PastEntry[] {
    const bound = until === undefined ? sql`` : sql`where journal.created <= ${arg('until')}`
    // The places come first, whatever the planner makes of them: they are few, the journal is long.
    const newest = sql`
      select journal.seq from (${PLACES[scope.kind]}) place
      cross join journal on journal.kind = place.kind and journal.object = place.object
      ${bound} order by journal.seq desc limit ${arg('limit')}`
    return this.#statements
      .named<Selectable<JournalRow>>(`past of ${scope.kind} ${until === undefined}`, (db) =>
        db.selectFrom('journal').selectAll().where(sql<boolean>`seq in (${newest})`).orderBy('seq', 'desc'),
      )
      .all({ id: scope.id, until, limit })
      .map(entryOf)
  }

  /** The ids of the payment methods that a customer has or had, newest first. */
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

  /**
   * An object as it was at an instant of its clock, after all that happened at it; undefined before it was made. Private
   * fields are those of today: the journal does not hold them.
   */
  at<K extends Kind>(kind: K, object: number, instant: number): Objects[K] | undefined {
    const entries = this.#statements
      .named<{ replaced: string | null; created: number }>(`entries of ${kind}`, (db) =>
        db
          .selectFrom('journal')
          .select(['replaced', 'created'])
          .where('kind', '=', literal(kindNumber(kind)))
          .where('object', '=', arg<number>('object'))
          .orderBy('seq', 'desc'),
      )
      .all({ object })
    const later = entries.filter(({ created }) => created > instant)
    if (later.length === entries.length) return undefined
    const replaced = later.map((entry) => (entry.replaced === null ? {} : JSON.parse(entry.replaced)))
    return Object.assign(this.#objects.at(kind, object), ...replaced)
  }
}

const entryOf = (row: Selectable<JournalRow>): PastEntry => ({
  ...row,
  type: row.type === null ? null : (EVENT_TYPES[row.type] as EventType),
  kind: KINDS[row.kind] as Kind,
  replaced: row.replaced === null ? null : JSON.parse(row.replaced),
})
