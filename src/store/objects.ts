import { sql } from 'kysely'
import type { Invoice } from '../core/invoice.ts'
import type { InvoiceItem } from '../core/invoice-item.ts'
import type { InvoicePlan } from '../core/invoice-plan.ts'
import type { Job } from '../core/jobs.ts'
import { KINDS, type Kind, type Objects } from '../core/kinds.ts'
import type { WithoutMetadata } from '../core/metadata.ts'
import type { Subscription } from '../core/subscription.ts'
import { type AmountCount, countAmounts, type MovingKind } from './amounts.ts'
import type { Blocks } from './blocks.ts'
import {
  billedCurrency,
  hasLooseItems,
  hasPaid,
  idsOfPresentSubscriptions,
  idsOfWaitingSchedules,
} from './customer-facts.ts'
import { updateDerivedRows } from './derived-rows.ts'
import { invoicePlans, nextFinalization } from './invoice-plans.ts'
import { KindTable } from './kind-table.ts'
import type { Filter, Page } from './list-query.ts'
import {
  type InvoiceOrder,
  type InvoiceOwner,
  nextDueSubscriptions,
  type Owed,
  openInvoices,
  owedOf,
} from './next-due.ts'
import { Place } from './place.ts'
import { IS_OUTSTANDING, type Owners, ReadAhead } from './read-ahead.ts'
import { arg, type Cut, literal, type Statements } from './statements.ts'
import type { StoredObjects, Summary } from './stored-kind.ts'
import { markReplacedItems, releaseItems } from './waiting-items.ts'

/** Names all values of the columns that come before the subscription in the index `invoice_outstanding_by_attempt`. */
const IS_OF_SUBSCRIPTION = sql`and attempted in (0, 1) and overdue in (0, 1) and subscription = ${arg('subscription')}`

/** The current state of every public object, one row each. */
export class ObjectTable {
  readonly #statements: Statements
  readonly #tables: { readonly [K in Kind]: KindTable<K> }
  readonly #ahead: ReadAhead | undefined
  #writes = 0

  /** @param objectsKept - the number of objects of each kind to keep in memory; with 0, nothing is read ahead either */
  constructor(statements: Statements, blocks: Blocks, objectsKept: number) {
    this.#statements = statements
    const tables = KINDS.map((kind) => [kind, new KindTable(kind, statements, { blocks, objectsKept })])
    this.#tables = Object.fromEntries(tables) as { readonly [K in Kind]: KindTable<K> }
    this.#ahead = objectsKept === 0 ? undefined : new ReadAhead(statements, this.#tables.invoice_item)
  }

  /** Returns the object with this id; undefined when the merchant has none. */
  get<K extends Kind>(kind: K, merchant: number, id: string): Objects[K] | undefined {
    return this.#tables[kind].get(merchant, id)
  }

  /** Returns the same object, perhaps without its metadata: long metadata is not read. */
  withoutMetadata<K extends Kind>(
    kind: K,
    merchant: number,
    id: string,
  ): WithoutMetadata<Objects[K]> | undefined {
    return this.#tables[kind].withoutMetadata(merchant, id)
  }

  /** Returns an object's seq, which is the order of creation; undefined when the merchant has none with this id. */
  seqOf(kind: Kind, merchant: number, id: string): number | undefined {
    return this.#tables[kind].seqOf(merchant, id)
  }

  /**
   * Returns the position of an object, which the caller changes together with the object.
   * @throws when the merchant has none with this id
   */
  placeOf(kind: Kind, merchant: number, id: string): Place {
    this.#writes += 1
    return this.#tables[kind].placeOf(merchant, id)
  }

  /** Returns the seq of the newest journal entry of the object with this seq; null when there is none. */
  newestEntryAt(kind: Kind, seq: number): number | null {
    return this.#tables[kind].newestEntryAt(seq)
  }

  /** Lists a merchant's objects that meet all conditions: newest first, with `before` oldest first. */
  list<K extends Kind>(kind: K, merchant: number, filters: readonly Filter[], page: Page): Objects[K][] {
    return this.#tables[kind].lists.all(merchant, filters, page)
  }

  /** Lists the ids of the same objects. */
  ids(kind: Kind, merchant: number, filters: readonly Filter[], page: Page): string[] {
    return this.#tables[kind].lists.ids(merchant, filters, page)
  }

  /** Lists the same ids in short steps: each `next` of the generator is one. */
  idsInSteps(
    kind: Kind,
    merchant: number,
    filters: readonly Filter[],
    page: Page,
  ): Generator<void, string[]> {
    return this.#tables[kind].lists.idsInSteps(merchant, filters, page)
  }

  /** Lists the same objects without their nested values, but for those that are named. */
  summaries<K extends Kind, Nested extends keyof StoredObjects[K] = never>(
    kind: K,
    merchant: number,
    filters: readonly Filter[],
    page: Page,
    nested: readonly Nested[] = [],
  ): Summary<StoredObjects[K], Nested>[] {
    return this.#tables[kind].lists.summaries(merchant, filters, page, nested)
  }

  /** Lists the same objects, but ends early if they would be longer than a page can be. */
  listPage<K extends Kind>(
    kind: K,
    merchant: number,
    filters: readonly Filter[],
    page: Page,
  ): Cut<Objects[K]> {
    return this.#tables[kind].lists.page(merchant, filters, page)
  }

  /** Lists the first open invoices of a customer, or of one of its subscriptions, up to the length of a page. */
  openInvoices(owner: InvoiceOwner, { order, limit }: { order: InvoiceOrder; limit: number }): Cut<Invoice> {
    return openInvoices(this.#statements, owner, { order, limit })
  }

  /** Sums up what is owed for the open invoices of a customer, or of one of its subscriptions, by currency. */
  owedOf(owner: InvoiceOwner): Owed[] {
    return owedOf(this.#statements, owner)
  }

  /** Lists a customer's subscriptions that have not ended and have the next due dates, up to the length of a page. */
  nextDueSubscriptions(customer: string, limit: number): readonly Subscription[] {
    return nextDueSubscriptions(this.#statements, customer, limit)
  }

  /** Counts the outstanding invoices of a customer, or of one of its subscriptions, up to a limit. */
  countOutstanding(
    owner: { readonly customer: string; readonly subscription?: string },
    limit: number,
  ): number {
    if (this.#ahead?.hasNoOutstanding(owner.customer)) return 0
    const isOfSubscription = owner.subscription !== undefined
    const row = this.#statements
      .named<{ count: number }>(
        isOfSubscription ? `outstanding of subscription to ${limit}` : `outstanding of customer to ${limit}`,
        (db) => ({
          compile: () =>
            sql`select count(*) as count from (
              select 1 from invoice indexed by invoice_outstanding_by_attempt where customer = ${arg('customer')}
              ${isOfSubscription ? IS_OF_SUBSCRIPTION : sql``}
              and ${IS_OUTSTANDING} limit ${literal(limit)})`.compile(db),
        }),
      )
      .get(owner)
    return row?.count ?? 0
  }

  /** Counts the invoices of a customer that meet `isDefaulted` (core/billing/account.ts), up to a limit. */
  countDefaulted(customer: string, limit: number): number {
    const row = this.#statements
      .named<{ count: number }>(`defaulted of customer to ${limit}`, (db) => ({
        compile: () =>
          sql`select count(*) as count from (
            select 1 from invoice indexed by invoice_outstanding_by_attempt where customer = ${arg('customer')}
            and (attempted, overdue) in (values (1, 0), (1, 1), (0, 1))
            and ${IS_OUTSTANDING} limit ${literal(limit)})`.compile(db),
      }))
      .get({ customer })
    return row?.count ?? 0
  }

  /** Counts a merchant's objects of a kind by amount, currency and status, in short steps. */
  countAmounts(kind: MovingKind, merchant: number): Generator<AmountCount[], void> {
    return countAmounts(this.#statements, kind, merchant)
  }

  /** Whether a customer has a pending item that belongs to no subscription. */
  hasLooseItems(customer: string): boolean {
    if (this.#ahead?.hasNoLooseItems(customer)) return false
    return hasLooseItems(this.#statements, customer)
  }

  /** Returns the items that wait for a subscription's next invoice, oldest first; undefined if they were not read ahead. */
  itemsReadAhead(subscription: string): readonly InvoiceItem[] | undefined {
    return this.#ahead?.itemsBilledWith(subscription)
  }

  /** Leaves the items that wait for a subscription to the next manual invoice, without journal entries: no public field changes. */
  releaseItems(subscription: string): void {
    this.#wroteItems(releaseItems(this.#statements, subscription))
  }

  /** Marks the invoice items that correct the current period of a subscription, which another one replaces. No public field changes. */
  markReplacedItems(subscription: Pick<Subscription, 'id' | 'current_period_start'>): void {
    this.#wroteItems(markReplacedItems(this.#statements, subscription))
  }

  #wroteItems(count: number): void {
    if (count === 0) return
    this.#writes += 1
    this.forget()
  }

  /** Returns the currency of the customer's newest subscription that has not ended, or else schedule that is not over; null without any. */
  billedCurrency(customer: string): string | null {
    return billedCurrency(this.#statements, customer)
  }

  /** Lists the ids of a customer's subscriptions that have not ended, oldest first. */
  idsOfPresentSubscriptions(customer: string): string[] {
    return idsOfPresentSubscriptions(this.#statements, customer)
  }

  /** Lists the ids of a customer's schedules that have not started and are not over, oldest first. */
  idsOfWaitingSchedules(customer: string): string[] {
    return idsOfWaitingSchedules(this.#statements, customer)
  }

  /** Reports whether a customer has a paid invoice or a successful charge. */
  hasPaid(customer: string): boolean {
    return hasPaid(this.#statements, customer)
  }

  /** Lists the plans of a subscription's invoices with a planned attempt, oldest first. */
  invoicePlans(subscription: string): InvoicePlan[] {
    return invoicePlans(this.#statements, subscription)
  }

  /** Returns the job that finalizes a draft of a subscription next; undefined for none. */
  nextFinalization(subscription: string): Job | undefined {
    return nextFinalization(this.#statements, subscription)
  }

  /**
   * Inserts an object.
   * @param place - its journal entries; the seq is set here
   */
  insert<K extends Kind>(kind: K, merchant: number, object: Objects[K], place = new Place()): void {
    this.#writes += 1
    this.#ahead?.written(kind, null, object)
    this.#tables[kind].insert(merchant, object as StoredObjects[K], place)
    updateDerivedRows(this.#statements, kind, { merchant, seq: place.seq, before: undefined, after: object })
  }

  /** Writes the changed fields, and the place's end of the chain of journal entries. */
  update<K extends Kind>(
    kind: K,
    merchant: number,
    { before, after }: { before: Objects[K]; after: Objects[K] },
    place = this.placeOf(kind, merchant, after.id),
  ): void {
    this.#ahead?.written(kind, before, after)
    const change = { before, after } as { before: StoredObjects[K]; after: StoredObjects[K] }
    this.#tables[kind].update(merchant, change, place)
    updateDerivedRows(this.#statements, kind, { merchant, seq: place.seq, before, after })
  }

  /** Does the same for an invoice of which only the plan was read. Whether it is outstanding does not change. */
  updatePlan(change: { readonly before: InvoicePlan; readonly after: InvoicePlan }, place: Place): void {
    this.#tables.invoice.updatePart(change.after.id, change, place)
  }

  /** Reads the objects of many ids into the cache with one statement, except large ones. @returns those that are in the cache */
  load<K extends Kind>(kind: K, merchant: number, ids: readonly string[]): Objects[K][] {
    return this.#tables[kind].load(merchant, ids)
  }

  /** Sets the ids of objects that may be asked for: the first question reads them all into the cache with one statement. */
  loadWhenAsked(kind: Kind, merchant: number, ids: readonly string[]): void {
    this.#tables[kind].expect(merchant, ids)
  }

  /** Sets the owners about whose invoices and invoice items the next jobs may ask: they are read together. */
  expect(owners: Owners): void {
    this.#ahead?.expect(owners)
  }

  /** Counts writes and requested places. While it is unchanged, a rollback of a savepoint leaves the cache valid. */
  get writes(): number {
    return this.#writes
  }

  /** Clears the cache. Must be called when rows were changed in another way than by this class. */
  forget(): void {
    for (const table of Object.values(this.#tables)) table.forget()
    this.#ahead?.forget()
  }
}
