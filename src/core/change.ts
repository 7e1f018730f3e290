import type { Charge } from './charge.ts'
import type { Customer } from './customer.ts'
import { assert } from './errors.ts'
import type { EventType } from './event.ts'
import type { Invoice } from './invoice.ts'
import type { InvoiceItem } from './invoice-item.ts'
import type { PaymentIntent } from './payment-intent.ts'
import type { PaymentMethod } from './payment-method.ts'
import type { Price, Product } from './price.ts'
import type { Refund } from './refund.ts'
import type { Subscription } from './subscription.ts'
import type { WebhookDelivery, WebhookEndpoint } from './webhook.ts'

/** Every public object that is kept, by its kind. The order is that of `COLUMNS` (`store/columns.ts`), whose numbers are stored. */
export type Objects = {
  customer: Customer
  product: Product
  price: Price
  payment_method: PaymentMethod
  subscription: Subscription
  invoice: Invoice
  payment_intent: PaymentIntent
  charge: Charge
  refund: Refund
  invoice_item: InvoiceItem
  webhook_endpoint: WebhookEndpoint
  webhook_delivery: WebhookDelivery
}
export type Kind = keyof Objects

export const ID_PREFIXES: Readonly<Record<Kind, string>> = {
  customer: 'cus',
  product: 'prod',
  price: 'price',
  payment_method: 'pm',
  subscription: 'sub',
  invoice: 'in',
  payment_intent: 'pi',
  charge: 'ch',
  refund: 're',
  invoice_item: 'ii',
  webhook_endpoint: 'we',
  webhook_delivery: 'whd',
}

/** Whether an id is of this kind, by how it begins. */
export const isIdOf = (kind: Kind, id: string): boolean => id.startsWith(`${ID_PREFIXES[kind]}_`)

/** One step: an object as it is from here on, what it was before (null: it did not exist), and the event that tells of it. */
export type Step = {
  readonly [K in Kind]: {
    readonly kind: K
    readonly before: Objects[K] | null
    readonly after: Objects[K]
    /** null when no public event tells of the step. */
    readonly event: EventType | null
  }
}[Kind]

/**
 * What a decision wants written, in the order in which it is told. Rules add steps; the engine's one interpreter writes
 * them, together or not at all: rows, journal entries (and with them events), and the jobs that follow from the objects.
 */
export class Change {
  readonly steps: Step[] = []
  /** The latest state of each object of the steps, by its id. */
  readonly #latest = new Map<string, Step['after']>()
  #hasAttempt = false

  /** Whether the decision asked the card processor for a charge. */
  get hasAttempt(): boolean {
    return this.#hasAttempt
  }

  /** A new object, with the event that announces it. */
  create<K extends Kind>(kind: K, after: Objects[K], event: EventType | null = null): Objects[K] {
    this.#add({ kind, before: null, after, event } as Step)
    return after
  }

  /**
   * The next state of an object that was loaded or told before, and the event that tells of it. A rule that gives back
   * what it was given, without an event, leaves no trace.
   */
  update<K extends Kind>(
    kind: K,
    object: Objects[K],
    rule: (latest: Objects[K]) => Objects[K],
    event: EventType | null = null,
  ): Objects[K] {
    const before = this.latest(kind, object)
    const after = rule(before)
    if (after !== before || event) this.#add({ kind, before, after, event } as Step)
    return after
  }

  /** The object as the steps so far leave it. */
  latest<K extends Kind>(kind: K, object: Objects[K]): Objects[K] {
    return this.told(kind, object.id) ?? object
  }

  /** The object of this id as the steps so far leave it; undefined when none speaks of it. */
  told<K extends Kind>(_kind: K, id: string): Objects[K] | undefined {
    return this.#latest.get(id) as Objects[K] | undefined
  }

  /** Counts by how many the steps so far raise, or lower, the number of objects that meet a condition. */
  gain<K extends Kind>(kind: K, isMet: (object: Objects[K]) => boolean): number {
    const count = (object: Step['after'] | null) => Number(object !== null && isMet(object as Objects[K]))
    return this.steps
      .filter((step) => step.kind === kind)
      .reduce((sum, { before, after }) => sum + count(after) - count(before), 0)
  }

  /** Notes an attempt at the card processor; a decision makes one at most. */
  noteAttempt(): void {
    assert(!this.#hasAttempt, 'a decision makes one attempt at most')
    this.#hasAttempt = true
  }

  /** All steps of another change, after those told so far. */
  append(change: Change): void {
    for (const step of change.steps) this.#add(step)
    if (change.hasAttempt) this.noteAttempt()
  }

  #add(step: Step): void {
    this.steps.push(step)
    this.#latest.set(step.after.id, step.after)
  }
}
