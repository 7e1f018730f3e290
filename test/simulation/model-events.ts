import { type Discount, showDiscount } from './model-discount.ts'
import type { Dispute } from './model-dispute.ts'
import type { Charge, CreditNote, Intent, Refund } from './model-money.ts'
import { managing, type Schedule, showSchedule } from './model-schedule.ts'
import {
  ref,
  type Shown,
  showCharge,
  showDispute,
  showIntent,
  showInvoice,
  showNote,
  showRefund,
  showSubscription,
} from './model-shown.ts'
import type { Fault, Invoice, Merchant, Subscription } from './model-state.ts'

/** An event that the model expects. */
export type ExpectedEvent = {
  readonly type: string
  /** The object of the event, as `{sub3}`. */
  readonly about: string | null
  readonly created: number
  readonly shows: Shown
  /** The names of the fields in previous_attributes; undefined for events without. */
  readonly changed?: readonly string[]
}

/**
 * The order of one operation's events. See docs/contract/events-and-webhooks.md#order-of-events.
 */
const PLACES = [
  'schedule first',
  'first',
  'discount',
  'created',
  'invoice',
  'payment',
  'voided by failure',
  'updated',
  'last',
  'schedule',
] as const
type Place = (typeof PLACES)[number]

/** An operation on a merchant's objects at an instant, by a request or a job. */
export class Operation {
  readonly merchant: Merchant
  readonly faults: Fault[]
  /** Unix seconds. */
  readonly at: number
  readonly #emitted: { readonly place: Place; readonly emitted: ExpectedEvent }[] = []
  readonly #last: string[] = []
  readonly #subscription: Subscription | null
  readonly #before: Shown | null
  readonly #schedule: Schedule | null
  readonly #scheduleBefore: Shown | null
  #scheduleEvent: 'created' | 'canceled' | 'expiring' | null = null

  /**
   * @param subscription - the subscription that the operation may change; its events are derived from the changes
   * @param schedule - the same for a schedule; that of the subscription by default
   */
  constructor(
    merchant: Merchant,
    faults: Fault[],
    {
      at,
      subscription = null,
      isNew = false,
      schedule = subscription && managing(merchant, subscription),
      scheduleBefore = schedule && showSchedule(schedule),
    }: {
      at: number
      subscription?: Subscription | null
      isNew?: boolean
      schedule?: Schedule | null
      scheduleBefore?: Shown | null
    },
  ) {
    this.merchant = merchant
    this.faults = faults
    this.at = at
    this.#subscription = subscription
    this.#before = subscription && !isNew ? showSubscription(subscription) : null
    this.#schedule = schedule
    this.#scheduleBefore = scheduleBefore
  }

  tellOfInvoice(type: string, invoice: Invoice, isCausedByFailure = false): void {
    this.#tell(isCausedByFailure ? 'voided by failure' : 'invoice', type, invoice.key, showInvoice(invoice))
  }

  tellOfIntent(type: string, intent: Intent): void {
    this.#tell('payment', type, intent.key, showIntent(intent))
  }

  tellOfCharge(type: string, charge: Charge): void {
    this.#tell('payment', type, charge.key, showCharge(charge))
  }

  tellOfRefund(type: string, refund: Refund): void {
    this.#tell('payment', type, refund.key, showRefund(refund))
  }

  tellOfDispute(type: string, dispute: Dispute, changed?: readonly string[]): void {
    const about = `{${dispute.key}}`
    const emitted = { type: `charge.dispute.${type}`, about, created: this.at, shows: showDispute(dispute) }
    this.#emitted.push({ place: 'payment', emitted: { ...emitted, ...(changed && { changed }) } })
  }

  tellOfDiscount(type: string, discount: Discount): void {
    this.#tell('discount', `customer.discount.${type}`, discount.key, showDiscount(discount))
  }

  tellOfNote(type: string, note: CreditNote): void {
    this.#tell('created', type, note.key, showNote(note))
  }

  /** Announces the next invoice of the subscription, which has no id. */
  tellUpcoming({ key, customer }: Subscription): void {
    const shows = { status: 'draft', subscription: ref(key), customer: ref(customer) }
    const emitted = { type: 'invoice.upcoming', about: null, created: this.at, shows }
    this.#emitted.push({ place: 'invoice', emitted })
  }

  /** Announces the end of a trial before all other events. */
  tellFirst(type: string, { key }: Subscription): void {
    this.#tell('first', `subscription.${type}`, key, {})
  }

  /** Emits an event of the schedule in place of that of its change. */
  tellOfSchedule(type: 'created' | 'canceled' | 'expiring'): void {
    this.#scheduleEvent = type
  }

  /** Emits an event of the subscription after its update. */
  tellLast(type: string): void {
    this.#last.push(type)
  }

  #tell(place: Place, type: string, key: string, shows: Shown): void {
    this.#emitted.push({ place, emitted: { type, about: `{${key}}`, created: this.at, shows } })
  }

  /** All expected events, in the order of the contract. */
  end({ isResumed = false, isDeleted = false } = {}): ExpectedEvent[] {
    const subscription = this.#subscription
    if (subscription) {
      const shows = showSubscription(subscription)
      const about = (type: string, changed?: string[]): ExpectedEvent => ({
        type: `subscription.${type}`,
        about: `{${subscription.key}}`,
        created: this.at,
        shows,
        ...(changed && { changed }),
      })
      const put = (place: Place, emitted: ExpectedEvent) => this.#emitted.push({ place, emitted })
      if (this.#before === null) put('created', about('created'))
      else {
        const changed = differing(this.#before, shows)
        if (changed.length > 0 && !isDeleted) put('updated', about('updated', changed))
      }
      for (const type of this.#last) put('last', about(type))
      if (isResumed) put('last', about('resumed'))
      if (isDeleted) put('last', about('deleted'))
    }
    this.#endSchedule()
    return PLACES.flatMap((place) => this.#emitted.filter((entry) => entry.place === place)).map(
      ({ emitted }) => emitted,
    )
  }

  /** Adds the event of the schedule, which comes last unless it is created or canceled itself. */
  #endSchedule(): void {
    const schedule = this.#schedule
    if (!schedule || !this.#scheduleBefore) return
    const shows = showSchedule(schedule)
    const changed = differing(this.#scheduleBefore, shows)
    if (this.#scheduleEvent === null && changed.length === 0) return
    const type = this.#scheduleEvent ?? EVENT_OF_STATUS[schedule.status]
    this.#emitted.push({
      place: this.#scheduleEvent ? 'schedule first' : 'schedule',
      emitted: {
        ...{ type: `subscription_schedule.${type}`, about: `{${schedule.key}}`, created: this.at, shows },
        ...(type === 'updated' && { changed }),
      },
    })
  }
}

/** The event of a schedule that changes to a status, or within it, through its phases or its subscription. */
const EVENT_OF_STATUS = {
  ...{ not_started: 'updated', active: 'updated', completed: 'completed' },
  ...{ released: 'released', canceled: 'aborted' },
} as const

const differing = (before: Shown, after: Shown): string[] =>
  Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
