import type { Charge } from './charge.ts'
import type { CheckoutSession } from './checkout-session.ts'
import type { Coupon } from './coupon.ts'
import type { CreditNote } from './credit-note.ts'
import type { Customer } from './customer.ts'
import type { CustomerBalanceTransaction } from './customer-balance.ts'
import type { Discount } from './discount.ts'
import type { Dispute } from './dispute.ts'
import type { Invoice } from './invoice.ts'
import type { InvoiceItem } from './invoice-item.ts'
import type { Meter } from './meter.ts'
import type { PaymentIntent } from './payment-intent.ts'
import type { PaymentMethod } from './payment-method.ts'
import type { PortalConfiguration } from './portal-configuration.ts'
import type { PortalSession } from './portal-session.ts'
import type { Price, Product } from './price.ts'
import type { PromotionCode } from './promotion-code.ts'
import type { Refund } from './refund.ts'
import type { SetupIntent } from './setup-intent.ts'
import type { Subscription } from './subscription.ts'
import type { SubscriptionSchedule } from './subscription-schedule.ts'
import type { WebhookEndpoint } from './webhook.ts'

/** Every public object with a journal, by kind. */
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
  customer_balance_transaction: CustomerBalanceTransaction
  credit_note: CreditNote
  subscription_schedule: SubscriptionSchedule
  dispute: Dispute
  billing_meter: Meter
  coupon: Coupon
  promotion_code: PromotionCode
  discount: Discount
  setup_intent: SetupIntent
  checkout_session: CheckoutSession
  billing_portal_configuration: PortalConfiguration
  billing_portal_session: PortalSession
}
export type Kind = keyof Objects

type Declaration = {
  /** Its number in databases and snapshots. */
  readonly number: number
  /** The prefix of its ids. */
  readonly prefix: string
  /** The beginning of its event types, if it differs from the name of the kind. */
  readonly family?: string
  /** Its event types by their last word (`created` for `customer.created`), with their numbers in databases and snapshots. */
  readonly events: Readonly<Record<string, number>>
}

/**
 * Every kind of object with its id prefix and its event types. Databases store the numbers: never change one, and give a
 * new kind or event type the next free number. Documents and messages list event types by number.
 * See docs/contract/events-and-webhooks.md#event-types.
 */
const DECLARATIONS = {
  customer: { number: 0, prefix: 'cus', events: { created: 21, updated: 22, deleted: 23 } },
  product: { number: 1, prefix: 'prod', events: { created: 28, updated: 29 } },
  price: { number: 2, prefix: 'price', events: { created: 26, updated: 27 } },
  payment_method: { number: 3, prefix: 'pm', events: { attached: 24, detached: 25 } },
  subscription: {
    number: 4,
    prefix: 'sub',
    events: {
      created: 0,
      updated: 1,
      deleted: 2,
      resumed: 3,
      pending_update_applied: 30,
      pending_update_expired: 31,
      trial_will_end: 47,
      paused: 72,
    },
  },
  invoice: {
    number: 5,
    prefix: 'in',
    events: {
      created: 4,
      finalized: 5,
      paid: 6,
      payment_failed: 7,
      voided: 8,
      marked_uncollectible: 9,
      deleted: 10,
      upcoming: 48,
      will_be_due: 49,
      overdue: 50,
      payment_succeeded: 55,
      payment_action_required: 69,
      updated: 70,
      payment_paid: 71,
      sent: 73,
    },
  },
  payment_intent: {
    number: 6,
    prefix: 'pi',
    events: { created: 11, succeeded: 12, payment_failed: 13, canceled: 14, requires_action: 15 },
  },
  charge: { number: 7, prefix: 'ch', events: { succeeded: 16, failed: 17, refunded: 18 } },
  refund: { number: 8, prefix: 're', events: { created: 19, failed: 20 } },
  invoice_item: { number: 9, prefix: 'ii', events: {} },
  webhook_endpoint: { number: 10, prefix: 'we', events: {} },
  // 11 belongs to webhook deliveries, which have no journal: see store/columns.ts.
  customer_balance_transaction: { number: 12, prefix: 'cbtxn', events: {} },
  credit_note: { number: 13, prefix: 'cn', events: { created: 32, updated: 33, voided: 34 } },
  subscription_schedule: {
    number: 14,
    prefix: 'sub_sched',
    events: {
      created: 35,
      updated: 36,
      expiring: 37,
      completed: 38,
      released: 39,
      canceled: 40,
      aborted: 41,
    },
  },
  dispute: {
    number: 15,
    prefix: 'du',
    family: 'charge.dispute',
    events: { created: 42, funds_withdrawn: 43, updated: 44, closed: 45, funds_reinstated: 46 },
  },
  billing_meter: {
    number: 16,
    prefix: 'mtr',
    family: 'billing.meter',
    events: { created: 51, updated: 52, deactivated: 53, reactivated: 54 },
  },
  coupon: { number: 17, prefix: 'coupon', events: { created: 56, updated: 57, deleted: 58 } },
  promotion_code: { number: 18, prefix: 'promo', events: { created: 59, updated: 60 } },
  discount: {
    number: 19,
    prefix: 'di',
    family: 'customer.discount',
    events: { created: 61, updated: 62, deleted: 63 },
  },
  setup_intent: {
    number: 20,
    prefix: 'seti',
    events: { created: 64, requires_action: 65, succeeded: 66, setup_failed: 67, canceled: 68 },
  },
  checkout_session: {
    number: 21,
    prefix: 'cs_test',
    family: 'checkout.session',
    events: { completed: 74, expired: 75, async_payment_succeeded: 76, async_payment_failed: 77 },
  },
  billing_portal_configuration: {
    number: 22,
    prefix: 'bpc',
    family: 'billing_portal.configuration',
    events: { created: 78, updated: 79 },
  },
  billing_portal_session: {
    number: 23,
    prefix: 'bps',
    family: 'billing_portal.session',
    events: { created: 80 },
  },
} as const satisfies Readonly<Record<Kind, Declaration>>

const TABLE: Readonly<Record<Kind, Declaration>> = DECLARATIONS

/** All kinds, by number. */
export const KINDS: readonly Kind[] = (Object.keys(DECLARATIONS) as Kind[]).toSorted(
  (left, right) => TABLE[left].number - TABLE[right].number,
)

export type EventType = {
  [K in Kind]: `${FamilyOf<K>}.${keyof (typeof DECLARATIONS)[K]['events'] & string}`
}[Kind]
type FamilyOf<K extends Kind> = (typeof DECLARATIONS)[K] extends {
  readonly family: infer Family extends string
}
  ? Family
  : K

/** Every type of event with its number and its kind of object, by number. */
export const EVENTS = KINDS.flatMap((kind) =>
  Object.entries(TABLE[kind].events).map(([event, number]) => ({
    number,
    kind,
    type: `${TABLE[kind].family ?? kind}.${event}` as EventType,
  })),
).toSorted((left, right) => left.number - right.number)

/** Every type of event. The index is the number. */
export const ALL_EVENT_TYPES: readonly EventType[] = EVENTS.map(({ type }) => type)

/** The types of events that only merchants with Stripe's API emit. */
export const FOREIGN_EVENT_TYPES: ReadonlySet<EventType> = new Set([
  'invoice.payment_succeeded',
  'invoice.payment_action_required',
  'setup_intent.created',
  'setup_intent.requires_action',
  'setup_intent.succeeded',
  'setup_intent.setup_failed',
  'setup_intent.canceled',
  'invoice.updated',
  'invoice.payment_paid',
  'invoice.sent',
  'subscription.paused',
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'billing_portal.configuration.created',
  'billing_portal.configuration.updated',
  'billing_portal.session.created',
])

/** The types of events of paytwin's own API, by number. */
export const EVENT_TYPES: readonly EventType[] = ALL_EVENT_TYPES.filter(
  (type) => !FOREIGN_EVENT_TYPES.has(type),
)

/** The types of events of test clocks, which are no objects with a journal. Databases store the index: add new ones at the end. */
export const CLOCK_EVENT_TYPES = [
  'test_helpers.test_clock.created',
  'test_helpers.test_clock.advancing',
  'test_helpers.test_clock.ready',
  'test_helpers.test_clock.deleted',
] as const
export type ClockEventType = (typeof CLOCK_EVENT_TYPES)[number]

/** A type of event of an object, or of a test clock. */
export type AnyEventType = EventType | ClockEventType

const OF_OBJECTS: ReadonlySet<AnyEventType> = new Set(ALL_EVENT_TYPES)

/** Reports whether events of a type are of objects, and not of test clocks. */
export const isOfObject = (type: AnyEventType): type is EventType => OF_OBJECTS.has(type)

/** The kinds with events of paytwin's own API, in the order of their first event type. */
export const KINDS_WITH_EVENTS: readonly Kind[] = [
  ...new Set(EVENTS.filter(({ type }) => !FOREIGN_EVENT_TYPES.has(type)).map(({ kind }) => kind)),
]

/** Returns the number of a kind, under which databases store it. */
export const kindNumber = (kind: Kind): number => TABLE[kind].number

const BY_NUMBER: readonly (Kind | undefined)[] = Object.assign(
  [],
  Object.fromEntries(KINDS.map((kind) => [TABLE[kind].number, kind])),
)

/** Returns the kind with a number. */
export function kindOfNumber(number: number): Kind {
  const kind = BY_NUMBER[number]
  if (!kind) throw new Error(`${number} is the number of no kind`)
  return kind
}

/** Returns the prefix of the ids of a kind. */
export const prefixOf = (kind: Kind): string => TABLE[kind].prefix

const BY_PREFIX: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [prefixOf(kind), kind]))

const LONG_PREFIXES = [...BY_PREFIX.keys()].filter((prefix) => prefix.includes('_'))

/** Returns the kind of an id, by its prefix; undefined for an id of something else. `sub_sched_…` is no id of a subscription. */
export function kindOfId(id: string): Kind | undefined {
  const long = LONG_PREFIXES.find((prefix) => id.startsWith(`${prefix}_`))
  return BY_PREFIX.get(long ?? id.slice(0, id.indexOf('_')))
}

/** Reports whether an id is of this kind, by its prefix. */
export const isIdOf = (kind: Kind, id: string): boolean => kindOfId(id) === kind

/** Returns the name of a kind in messages: `payment_method` → payment method. */
export const nounOf = (kind: string): string => kind.replaceAll('_', ' ')
