import { sql } from 'kysely'
import type { Kind, Objects } from '../core/change.ts'
import type { Invoice } from '../core/invoice.ts'
import type { Subscription } from '../core/subscription.ts'
import { type Blocks, spanOf } from './blocks.ts'
import { codecOf } from './codec.ts'
import { KINDS } from './columns.ts'
import { KindTable } from './kind-table.ts'
import { type Filter, listQuery } from './list-query.ts'
import { Place } from './place.ts'
import { arg, literal, type Statements } from './statements.ts'

/**
 * `isOutstanding` (core/invoice.ts) in SQL. It stands in the index `invoice_outstanding` as it stands here: SQLite compares the
 * texts to know that the index applies.
 */
const IS_OUTSTANDING = sql<boolean>`status = 'open' and (collection_method = 'charge_automatically' or overdue = 1)`

export type Page = {
  readonly limit: number
  /** The seq of the object that the page comes after or before, in the order newest first. */
  readonly after?: number | undefined
  readonly before?: number | undefined
}

/** The instants at which an invoice stops being open. */
const INVOICE_ENDINGS = ['paid_at', 'voided_at', 'marked_uncollectible_at'] as const

/** The current state of every public object, one row each. */
export class ObjectTable {
  readonly #statements: Statements
  readonly #blocks: Blocks
  readonly #tables: { readonly [K in Kind]: KindTable<K> }
  #writes = 0

  /** @param objectsKept - how many objects of a kind are kept in memory for certain */
  constructor(statements: Statements, blocks: Blocks, objectsKept: number) {
    this.#statements = statements
    this.#blocks = blocks
    const tables = KINDS.map((kind) => [kind, new KindTable(kind, statements, objectsKept)])
    this.#tables = Object.fromEntries(tables) as { readonly [K in Kind]: KindTable<K> }
  }

  /** The object of this id; undefined when the merchant has none. */
  get<K extends Kind>(kind: K, merchant: number, id: string): Objects[K] | undefined {
    return this.#tables[kind].get(merchant, id)
  }

  /** The object in this place of its table, whoever owns it. */
  at<K extends Kind>(kind: K, seq: number): Objects[K] {
    return this.#tables[kind].at(seq)
  }

  /** The place of an object in the order of creation; undefined when the merchant has none of this id. */
  seqOf(kind: Kind, merchant: number, id: string): number | undefined {
    return this.#tables[kind].seqOf(merchant, id)
  }

  /**
   * The place of an object, to be changed together with the object.
   * @throws when the merchant has none of this id
   */
  placeOf(kind: Kind, merchant: number, id: string): Place {
    this.#writes += 1
    return this.#tables[kind].placeOf(merchant, id)
  }

  /** The seq of the newest journal entry of the object in this place of its table; null when there is none. */
  newestEntryAt(kind: Kind, seq: number): number | null {
    return this.#tables[kind].newestEntryAt(seq)
  }

  /** A page of a merchant's objects that meet all conditions: newest first, but for `before` the nearest to it first. */
  list<K extends Kind>(kind: K, merchant: number, filters: readonly Filter[], page: Page): Objects[K][] {
    const created = filters.filter((filter) => 'compare' in filter)
    const places = created.length === 0 ? {} : this.#blocks.placesOf(kind, merchant, spanOf(created))
    if (!places) return []
    const { above, below } = { above: undefined, below: undefined, ...places }
    const bounds = {
      above: page.before === undefined ? above : Math.max(page.before, above ?? 0),
      below: page.after === undefined ? below : Math.min(page.after, below ?? Number.MAX_SAFE_INTEGER),
    }
    const { name, query, values } = listQuery(kind, filters, {
      isAbove: bounds.above !== undefined,
      isBelow: bounds.below !== undefined,
      order: page.before === undefined ? 'newest first' : 'oldest first',
      limit: page.limit,
    })
    return this.#statements
      .named(
        name,
        (db) => ({ compile: () => query().compile(db) }),
        (row) => codecOf(kind).decode(row),
      )
      .all({ merchant, ...bounds, ...values })
  }

  /** A customer's open invoices, oldest first. */
  openInvoices(customer: string): Invoice[] {
    return this.#statements
      .named(
        'open invoices',
        (db) =>
          db
            .selectFrom('invoice' as 'object')
            .select(this.#tables.invoice.columns)
            .where('customer', '=', arg<string>('customer'))
            // A literal: with a parameter SQLite would not know that the partial index applies.
            .where(sql<boolean>`status = 'open'`)
            .orderBy('seq'),
        this.#tables.invoice.reader,
      )
      .all({ customer })
  }

  /** Counts the outstanding invoices of a customer, or of one of its subscriptions, up to a limit. */
  countOutstanding(
    owner: { readonly customer: string; readonly subscription?: string },
    limit: number,
  ): number {
    const isOfSubscription = owner.subscription !== undefined
    const row = this.#statements
      .named<{ count: number }>(
        isOfSubscription ? `outstanding of subscription to ${limit}` : `outstanding of customer to ${limit}`,
        (db) => ({
          compile: () =>
            sql`select count(*) as count from (
              select 1 from invoice where customer = ${arg('customer')}
              ${isOfSubscription ? sql`and subscription = ${arg('subscription')}` : sql``}
              and ${IS_OUTSTANDING} limit ${literal(limit)})`.compile(db),
        }),
      )
      .get(owner)
    return row?.count ?? 0
  }

  /** The invoices of a subscription whose payment is going to be retried, oldest first. */
  invoicesToRetry(subscription: string): Invoice[] {
    return this.#statements
      .named(
        'invoices to retry',
        (db) =>
          db
            .selectFrom('invoice' as 'object')
            .select(this.#tables.invoice.columns)
            .where('subscription', '=', arg<string>('subscription'))
            .where(sql<boolean>`next_payment_attempt is not null`)
            .orderBy('seq'),
        this.#tables.invoice.reader,
      )
      .all({ subscription })
  }

  /** The ids of a customer's invoices that were open at an instant, in Unix seconds, oldest first. */
  idsOfInvoicesOpenAt(customer: string, instant: number): string[] {
    return this.#statements
      .named<{ id: string }>('invoices open at', (db) =>
        db
          .selectFrom('invoice')
          .select('id')
          .where('customer', '=', arg<string>('customer'))
          .where('finalized_at', '<=', arg<number>('instant'))
          .where(({ and, or, eb }) =>
            and(INVOICE_ENDINGS.map((at) => or([eb(at, 'is', null), eb(at, '>', arg<number>('instant'))]))),
          )
          .orderBy('seq'),
      )
      .all({ customer, instant })
      .map(({ id }) => id)
  }

  /**
   * Inserts an object.
   * @param place - its journal entries; its seq is set
   */
  insert<K extends Kind>(kind: K, merchant: number, object: Objects[K], place = new Place()): void {
    this.#writes += 1
    this.#tables[kind].insert(merchant, object, place)
    this.#blocks.added(kind, place.seq)
    if (kind === 'subscription') this.#notePrices(merchant, place.seq, [], (object as Subscription).items)
  }

  /** Writes the fields that changed, and the place's end of the chain of journal entries. */
  update<K extends Kind>(
    kind: K,
    merchant: number,
    { before, after }: { before: Objects[K]; after: Objects[K] },
    place = this.placeOf(kind, merchant, after.id),
  ): void {
    this.#tables[kind].update(merchant, { before, after }, place)
    if (kind === 'subscription') {
      const [old, now] = [before, after] as readonly Objects[Kind][] as readonly Subscription[]
      this.#notePrices(merchant, place.seq, old?.items ?? [], now?.items ?? [])
    }
  }

  /** Reads objects that are going to be asked for, all at once. */
  load(kind: Kind, merchant: number, ids: readonly string[]): void {
    this.#tables[kind].load(merchant, ids)
  }

  /** How often rows were written, or places taken to be changed: as long as that stays the same, a savepoint has nothing to take back. */
  get writes(): number {
    return this.#writes
  }

  /** Drops the objects in memory: to be called when rows were changed in another way than by this class. */
  forget(): void {
    for (const table of Object.values(this.#tables)) table.forget()
  }

  /** Keeps what subscriptions of a price are found by. */
  #notePrices(
    merchant: number,
    subscription: number,
    before: Subscription['items'],
    after: Subscription['items'],
  ): void {
    if (before === after) return
    const [old, now] = [before, after].map((items) => new Set(items.map(({ price }) => price)))
    for (const price of old ?? []) {
      if (now?.has(price)) continue
      this.#statements
        .named('forget price use', (db) =>
          db
            .deleteFrom('price_use')
            .where('merchant', '=', arg<number>('merchant'))
            .where('price', '=', arg<string>('price'))
            .where('subscription', '=', arg<number>('subscription')),
        )
        .run({ merchant, price, subscription })
    }
    for (const price of now ?? []) {
      if (old?.has(price)) continue
      this.#statements
        .named('note price use', (db) =>
          db.insertInto('price_use').values({
            merchant: arg<number>('merchant'),
            price: arg<string>('price'),
            subscription: arg<number>('subscription'),
          }),
        )
        .run({ merchant, price, subscription })
    }
  }
}
