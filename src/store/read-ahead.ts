import { sql } from 'kysely'
import type { InvoiceItem } from '../core/invoice-item.ts'
import type { Kind, Objects } from '../core/kinds.ts'
import type { KindTable } from './kind-table.ts'
import { isSmall } from './object-sizes.ts'
import { arg, type Statements } from './statements.ts'

/**
 * The SQL of `isOutstanding` (core/invoice.ts). The index `invoice_outstanding_by_attempt` has exactly this text, which
 * SQLite compares to decide whether the index applies.
 */
export const IS_OUTSTANDING = sql<boolean>`status = 'open' and (collection_method = 'charge_automatically' or overdue = 1)`

/** The SQL for an item that waits for a customer's next invoice and belongs to no subscription. */
export const IS_LOOSE = sql<boolean>`invoice is null and deleted = 0 and billed_with is null`

/** The maximum number of items that are read ahead. With more, each subscription's items are read when they are needed. */
const MAX_ITEMS = 1_000

/** The maximum size of a nested value of an item that is read ahead, in bytes. */
const MAX_VALUE = 1024

/** The owners about whose invoices and invoice items the next jobs of an advance may ask. */
export type Owners = { readonly customers: readonly string[]; readonly subscriptions: readonly string[] }

/**
 * Answers to questions about the invoices and invoice items of the owners of the next jobs. The first question of its
 * kind is answered for all owners with one statement. `written` drops the answers that a write can change, and `forget`
 * drops all.
 */
export class ReadAhead {
  readonly #outstanding: Answers<true>
  readonly #loose: Answers<true>
  readonly #billedWith: Answers<readonly InvoiceItem[]>

  /** @param items - the table of invoice items */
  constructor(statements: Statements, items: KindTable<'invoice_item'>) {
    this.#outstanding = new Answers((owners) => without(owners, idsWith(statements, 'invoice', owners)))
    this.#loose = new Answers((owners) => without(owners, idsWith(statements, 'invoice_item', owners)))
    this.#billedWith = new Answers((owners) => itemsOfEach(statements, items, owners))
  }

  /** Sets the owners of the next questions. */
  expect({ customers, subscriptions }: Owners): void {
    this.#outstanding.expect(customers)
    this.#loose.expect(customers)
    this.#billedWith.expect(subscriptions)
  }

  /** Whether a customer is known to have no outstanding invoice. */
  hasNoOutstanding(customer: string): boolean {
    return this.#outstanding.of(customer) ?? false
  }

  /** Whether a customer is known to have no pending item that belongs to no subscription. */
  hasNoLooseItems(customer: string): boolean {
    return this.#loose.of(customer) ?? false
  }

  /** Returns the items that wait for a subscription's next invoice, oldest first; undefined if they were not read ahead. */
  itemsBilledWith(subscription: string): readonly InvoiceItem[] | undefined {
    return this.#billedWith.of(subscription)
  }

  /** Drops the answers that the write of an object can change. @param before - null for a new object */
  written<K extends Kind>(kind: K, before: Objects[K] | null, after: Objects[K]): void {
    if (kind === 'invoice') this.#outstanding.drop((after as Objects['invoice']).customer)
    if (kind !== 'invoice_item') return
    const [old, now] = [before, after] as readonly (InvoiceItem | null)[]
    for (const item of [old, now]) {
      if (item) this.#loose.drop(item.customer)
      if (item?.billed_with) this.#billedWith.drop(item.billed_with)
    }
  }

  /** Drops all answers. */
  forget(): void {
    this.expect({ customers: [], subscriptions: [] })
  }
}

/** The answers to one question about the expected owners. */
class Answers<Answer> {
  readonly #read: (owners: readonly string[]) => ReadonlyMap<string, Answer>
  #answers = new Map<string, Answer>()
  /** The owners whose answers are read with the next question. */
  #expected: readonly string[] = []

  constructor(read: (owners: readonly string[]) => Map<string, Answer>) {
    this.#read = read
  }

  expect(owners: readonly string[]): void {
    this.#expected = owners
    if (this.#answers.size > 0) this.#answers = new Map()
  }

  /** Returns the answer about an owner; undefined if it is not known. */
  of(owner: string): Answer | undefined {
    if (this.#expected.length > 1) this.#answers = new Map(this.#read(this.#expected))
    this.#expected = []
    return this.#answers.get(owner)
  }

  drop(owner: string): void {
    this.#answers.delete(owner)
  }
}

/** Returns the customers that have an outstanding invoice, or a loose item. */
const idsWith = (
  statements: Statements,
  kind: 'invoice' | 'invoice_item',
  customers: readonly string[],
): ReadonlySet<string> =>
  new Set(
    statements
      .named<{ value: string }>(`customers with ${kind}`, (db) => ({
        compile: () =>
          sql`select value from json_each(${arg('customers')}) where exists (
              select 1 from ${sql.table(kind)}
              where customer = value and ${kind === 'invoice' ? IS_OUTSTANDING : IS_LOOSE})`.compile(db),
      }))
      .all({ customers: JSON.stringify(customers) })
      .map(({ value }) => value),
  )

const without = (owners: readonly string[], some: ReadonlySet<string>): Map<string, true> =>
  new Map(owners.filter((owner) => !some.has(owner)).map((owner) => [owner, true]))

/** Reads the items that wait for each of many subscriptions, oldest first; no answers if there are too many items, or a large one. */
function itemsOfEach(
  statements: Statements,
  table: KindTable<'invoice_item'>,
  subscriptions: readonly string[],
): Map<string, readonly InvoiceItem[]> {
  const waiting = sql`invoice_item where billed_with in (select value from json_each(${arg('subscriptions')}))`
  const values = { subscriptions: JSON.stringify(subscriptions) }
  const { count = 0 } =
    statements
      .named<{ count: number }>('count items of subscriptions', (db) => ({
        compile: () => sql`select count(*) as count from ${waiting}`.compile(db),
      }))
      .get(values) ?? {}
  if (count > MAX_ITEMS) return new Map()
  const areSmall = sql`${waiting} and ${isSmall('invoice_item', MAX_VALUE)}`
  const items = table.readTogether('items of subscriptions', () => areSmall, values)
  if (items.length < count) return new Map()
  const itemsOf = new Map<string, InvoiceItem[]>(subscriptions.map((id) => [id, []]))
  for (const { object } of items.sort((left, right) => left.seq - right.seq))
    itemsOf.get(object.billed_with ?? '')?.push(object)
  return itemsOf
}
