import { assert } from './errors.ts'
import type { Invoice } from './invoice.ts'
import type { InvoicePlan } from './invoice-plan.ts'
import type { EventType, Kind, Objects } from './kinds.ts'

/** One step of a change: an object before (null: it did not exist) and after it, and the event that reports it. */
export type Step = {
  readonly [K in Kind]: {
    readonly kind: K
    readonly before: Objects[K] | null
    readonly after: Objects[K]
    /** null for a step without a public event. */
    readonly event: EventType | null
    /** The invoice that the event shows in place of the object, as a preview. */
    readonly preview?: Invoice
  }
}[Kind]

/** A step of an invoice of which only the plan was read. It is the only step of that invoice. */
export type PlanStep = {
  readonly kind: 'invoice'
  readonly before: InvoicePlan
  readonly after: InvoicePlan
  readonly event: null
  readonly preview?: undefined
  readonly isPlan: true
}

/** Reports whether only the plan of a step's object was read. */
export const isPlanStep = (step: Step | PlanStep): step is PlanStep => 'isPlan' in step

/** Reports whether a step counts the redemption of a coupon or of a promotion code. No other step of theirs is without an event. */
const isRedemption = ({ kind, event }: Step | PlanStep): boolean =>
  (kind === 'coupon' || kind === 'promotion_code') && event === null

/** An object that a change has written: its state before all steps (null: it did not exist) and after them. */
export type Written = {
  readonly kind: Kind
  readonly first: Step['before']
  readonly last: Step['after']
}

/**
 * The steps of a decision, in order. Rules add steps. The engine's interpreter writes them together or
 * not at all: rows, journal entries (which are the events), and the jobs derived from the objects.
 */
export class Change {
  readonly steps: (Step | PlanStep)[] = []
  /** The latest state of each object that has a step, by id. */
  readonly #latest = new Map<string, Step['after']>()
  /** The ids of the invoices with a plan step. */
  readonly #planned = new Set<string>()
  #hasAttempt = false

  /** Whether the decision made a charge attempt at the card processor. */
  get hasAttempt(): boolean {
    return this.#hasAttempt
  }

  /** Adds a new object and the event that announces it. */
  create<K extends Kind>(kind: K, after: Objects[K], event: EventType | null = null): Objects[K] {
    this.#add({ kind, before: null, after, event } as Step)
    return after
  }

  /**
   * Adds a new object and the change that creates what belongs to it, such as its discounts. Redemptions come before the object, so that its
   * event shows the coupons with them; all other steps come after it. See docs/contract/discounts.md#events.
   */
  createWith<K extends Kind>(kind: K, after: Objects[K], event: EventType, belonging: Change): Objects[K] {
    for (const step of belonging.steps) if (isRedemption(step)) this.#add(step)
    this.create(kind, after, event)
    for (const step of belonging.steps) if (!isRedemption(step)) this.#add(step)
    if (belonging.hasAttempt) this.noteAttempt()
    return after
  }

  /**
   * Applies a rule to the latest state of an object that was loaded or has a step, with the event that reports the
   * result. A rule that returns its argument, without an event, adds no step.
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

  /** Applies a rule that changes only the plan to an invoice of which only the plan was read, or to its latest state if it has a step. */
  updatePlan(plan: InvoicePlan, rule: <Plan extends InvoicePlan>(latest: Plan) => Plan): void {
    const latest = this.pending('invoice', plan.id)
    if (latest) {
      this.update('invoice', latest, rule)
      return
    }
    const after = rule(plan)
    if (after !== plan) this.#add({ kind: 'invoice', before: plan, after, event: null, isPlan: true })
  }

  /** Applies a rule to the latest state of an object, with an event that shows the preview of an invoice. */
  announce<K extends Kind>(
    kind: K,
    object: Objects[K],
    rule: (latest: Objects[K]) => Objects[K],
    { event, preview }: { readonly event: EventType; readonly preview: Invoice },
  ): void {
    const before = this.latest(kind, object)
    this.#add({ kind, before, after: rule(before), event, preview } as Step)
  }

  /** Returns an object's state after the steps so far. */
  latest<K extends Kind>(kind: K, object: Objects[K]): Objects[K] {
    return this.pending(kind, object.id) ?? object
  }

  /** Returns the state after the steps so far of the object with this id; undefined when it has no step. */
  pending<K extends Kind>(_kind: K, id: string): Objects[K] | undefined {
    return this.#latest.get(id) as Objects[K] | undefined
  }

  /** Returns the change in the number of objects that meet a condition, caused by the steps so far. */
  gain<K extends Kind>(kind: K, isMet: (object: Objects[K]) => boolean): number {
    const count = (object: Step['after'] | null) => Number(object !== null && isMet(object as Objects[K]))
    return this.steps.reduce(
      (sum, step) =>
        step.kind === kind && !isPlanStep(step) ? sum + count(step.after) - count(step.before) : sum,
      0,
    )
  }

  /** Records the charge attempt of this decision, which makes at most one. */
  noteAttempt(): void {
    assert(!this.#hasAttempt, 'a decision makes at most one attempt')
    this.#hasAttempt = true
  }

  /** Appends all steps of another change. */
  append(change: Change): void {
    for (const step of change.steps) this.#add(step)
    if (change.hasAttempt) this.noteAttempt()
  }

  #add(step: Step | PlanStep): void {
    const { id } = step.after
    assert(!this.#planned.has(id), `a step of the plan of ${id} is its only one`)
    this.steps.push(step)
    if (isPlanStep(step)) this.#planned.add(id)
    else this.#latest.set(id, step.after)
  }
}
