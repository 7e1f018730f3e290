import type { Body } from '../twin.ts'
import { Failure } from './failure.ts'

/**
 * The transitions of the contract's status tables, written a second time. `none` stands
 * for creation. Silent changes (an intent that gets a method) are listed too.
 */
const STATUSES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  subscription: {
    none: ['active', 'incomplete', 'trialing'],
    incomplete: ['active', 'incomplete_expired', 'canceled'],
    incomplete_expired: [],
    trialing: ['active', 'past_due', 'paused', 'canceled'],
    active: ['past_due', 'canceled'],
    past_due: ['active', 'canceled', 'unpaid'],
    unpaid: ['active', 'canceled'],
    paused: ['active', 'canceled'],
    canceled: [],
  },
  invoice: {
    none: ['draft'],
    draft: ['open'],
    open: ['paid', 'void', 'uncollectible'],
    uncollectible: ['paid', 'void'],
    paid: [],
    void: [],
  },
  payment_intent: {
    none: ['requires_confirmation', 'succeeded', 'requires_payment_method'],
    requires_confirmation: ['requires_action', 'succeeded', 'requires_payment_method', 'canceled'],
    requires_action: ['succeeded', 'requires_payment_method', 'canceled'],
    requires_payment_method: ['requires_confirmation', 'requires_action', 'succeeded', 'canceled'],
    succeeded: [],
    canceled: [],
  },
  subscription_schedule: {
    none: ['not_started', 'active'],
    not_started: ['active', 'released', 'canceled'],
    active: ['completed', 'released', 'canceled'],
    completed: [],
    released: [],
    canceled: [],
  },
  credit_note: { none: ['issued'], issued: ['void'], void: [] },
  dispute: {
    none: ['needs_response'],
    needs_response: ['under_review', 'won', 'lost'],
    under_review: ['won', 'lost'],
    won: [],
    lost: [],
  },
  charge: { none: ['succeeded', 'failed'], succeeded: [], failed: [] },
  refund: { none: ['succeeded', 'pending'], pending: ['failed'], succeeded: [], failed: [] },
}

/** The state after one merchant's events so far. Events are checked one by one, so the cost of a step does not grow. */
export class Watch {
  #statuses = new Map<string, string>()
  #times = new Map<string, number>()
  #shown = new Map<string, Body>()
  #periods = new Map<string, string>()

  copy(): Watch {
    const copy = new Watch()
    copy.#statuses = new Map(this.#statuses)
    copy.#times = new Map(this.#times)
    copy.#shown = new Map(this.#shown)
    copy.#periods = new Map(this.#periods)
    return copy
  }

  /** The object of its newest event. */
  shown(id: string): Body | undefined {
    return this.#shown.get(id)
  }

  /** @param clock - the clock of the event's object */
  see(event: Body, clock: string): void {
    const { type, created, data } = event
    const { object, previous_attributes } = data as { object: Body; previous_attributes?: Body }
    const say = (kind: string, words: string) => new Failure(kind, `${type} of ${object.id}: ${words}`)

    const last = this.#times.get(clock) ?? Number.NEGATIVE_INFINITY
    if (created < last) throw say('time goes back', `${created} after ${last}`)
    this.#times.set(clock, created)

    const table = STATUSES[object.object]
    if (table && type !== 'invoice.deleted') {
      const from = this.#statuses.get(object.id) ?? 'none'
      if (from !== object.status && !table[from]?.includes(object.status)) {
        throw say('status outside its table', `${from} → ${object.status}`)
      }
      this.#statuses.set(object.id, object.status)
    }

    const before = this.#shown.get(object.id)
    if (previous_attributes && object.object.startsWith('subscription')) {
      const undone = JSON.stringify({ ...object, ...previous_attributes })
      if (undone !== JSON.stringify(before)) throw say('journal', `undoing it does not give what was before`)
    }
    this.#shown.set(object.id, object)

    if (object.object === 'invoice') this.#seeInvoice(object, type, say)
    if (object.object === 'charge' && object.amount_refunded > object.amount) {
      throw say('refunds exceed a charge', `${object.amount_refunded} of ${object.amount}`)
    }
  }

  #seeInvoice(invoice: Body, type: string, say: (kind: string, words: string) => Failure): void {
    const { lines, subtotal, subscription, billing_reason, period_start, period_end, id } = invoice
    const sum = lines.data.reduce((sum: number, { amount }: Body) => sum + amount, 0)
    if (!lines.has_more && sum !== subtotal) throw say('lines do not add up', `${sum}, subtotal ${subtotal}`)
    // An invoice of a change bills a part of a period that another one bills.
    if (subscription === null || billing_reason === 'subscription_update') return
    const period = `${subscription} from ${period_start}`
    // A failed resume bills the same instant again when it is repeated.
    if (type === 'invoice.voided') this.#periods.delete(period)
    if (type !== 'invoice.created') return
    const other = this.#periods.get(period)
    if (other !== undefined && other !== id) throw say('two invoices for a period', `${other} bills it too`)
    this.#periods.set(period, id)
    if (period_end <= period_start) throw say('a period without length', `${period_start} to ${period_end}`)
  }
}
