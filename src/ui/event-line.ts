import type { Event, Resource } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { attemptNumber, attemptsOf, DEFAULT_RETRIES } from '../core/dunning.ts'
import { formatAmount } from '../core/money.ts'
import { methodText } from '../core/payment-method.ts'
import type { Colour, Span } from './span.ts'

/** The width of the longest common type, payment_intent.payment_failed. A longer one pushes the rest to the right. */
export const TYPE_WIDTH = 29

/** The parts of an event's line, before layout. */
export type EventCells = {
  /** ISO 8601 in UTC. */
  readonly time: string
  readonly type: string
  /** By family and outcome. */
  readonly colour: Colour
  readonly object: string
  /** The object's details, most important first. */
  readonly details: readonly string[]
}

/**
 * Extracts the parts of an event's line.
 * @param format - formats the instants in details (Unix seconds), because narrow rows have no room for complete ones
 * See docs/contract/terminal-ui.md#screen.
 */
export function eventCells(event: Event, format: (instant: number) => string = formatInstant): EventCells {
  const { type, created, data } = event
  const time: TimeText = (value) => (typeof value === 'number' ? format(value) : '')
  const details = DETAILS[data.object.object]?.(data.object, event, time) ?? []
  return {
    time: formatInstant(created),
    type,
    colour: colourOf(type),
    object: text(data.object.id) || text(data.object.subscription),
    details: details.filter((detail) => detail !== ''),
  }
}

/** Formats an event in one line: simulated time, type, object and details. */
export function eventLine(event: Event): Span[] {
  const { time, type, colour, object, details } = eventCells(event)
  return [
    { text: time, colour: 'dim' },
    '  ',
    { text: type.padEnd(TYPE_WIDTH), colour },
    '  ',
    object,
    ...(details.length > 0 ? ['  ', details.join('  ')] : []),
  ]
}

const FAMILY_COLOURS: Readonly<Record<string, Colour>> = {
  subscription: 'magenta',
  invoice: 'blue',
  payment_intent: 'cyan',
  charge: 'cyan',
  refund: 'yellow',
  credit_note: 'yellow',
  dispute: 'yellow',
}

function colourOf(type: string): Colour {
  const [what = '', family = ''] = type.split('.').reverse()
  if (what.endsWith('failed')) return 'red'
  return what === 'paid' || what === 'succeeded' ? 'green' : (FAMILY_COLOURS[family] ?? 'dim')
}

/** Formats an instant; empty for null. */
type TimeText = (instant: unknown) => string

/** The details of each kind of object. Empty texts are omitted. */
const DETAILS: Readonly<Record<string, (object: Resource, event: Event, time: TimeText) => string[]>> = {
  subscription: (subscription, event, time) => [
    statusChange(subscription, event),
    periodChange(subscription, event, time),
    cancellation(subscription, event, time),
  ],
  invoice: (invoice, { type }, time) => [
    amountOf(invoice, 'total'),
    ...(type === 'invoice.payment_failed' ? dunning(invoice, time) : [text(invoice.number)]),
  ],
  payment_intent: (intent) => [amountOf(intent, 'amount'), declineOf(intent.last_payment_error)],
  charge: (charge) => [amountOf(charge, 'amount'), reasonOf(charge)],
  refund: (refund) => [amountOf(refund, 'amount'), text(refund.status)],
  dispute: (dispute) => [amountOf(dispute, 'amount'), text(dispute.status)],
  credit_note: (note) => [amountOf(note, 'amount'), text(note.number)],
  customer: (customer) => [text(customer.email) || text(customer.name)],
  payment_method: (method) => [methodOf(method), text(method.customer)],
  price: (price) => [amountOf(price, 'unit_amount'), text(price.nickname)],
  product: (product) => [text(product.name)],
  checkout_session: checkout,
  'checkout.session': checkout,
}

function checkout(session: Resource): string[] {
  return [
    amountOf(session, 'amount_total'),
    session.payment_status === 'no_payment_required' ? '' : text(session.payment_status),
  ]
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

function amountOf(object: Resource, name: string): string {
  const amount = object[name]
  return typeof amount === 'number' && typeof object.currency === 'string'
    ? formatAmount(amount, object.currency)
    : ''
}

function statusChange({ status }: Resource, { data }: Event): string {
  const before = text(data.previous_attributes?.status)
  if (before) return `${before} → ${text(status)}`
  return data.previous_attributes ? '' : text(status)
}

function periodChange(subscription: Resource, { data }: Event, time: TimeText): string {
  const { current_period_end: end } = periodOf(subscription)
  const before = periodOf(data.previous_attributes ?? {}).current_period_end
  const hasMoved = before !== undefined && before !== end
  return hasMoved ? `period ${time(periodOf(subscription).current_period_start)} – ${time(end)}` : ''
}

/** Returns the object with the period of a subscription: the subscription, or in Stripe's API its first item. */
function periodOf(subscription: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const items = field(subscription.items, 'data')
  const [first] = Array.isArray(items) ? items : []
  return subscription.current_period_end === undefined && first ? first : subscription
}

function cancellation(subscription: Resource, { type, data }: Event, time: TimeText): string {
  if (type.endsWith('subscription.deleted')) return text(field(subscription.cancellation_details, 'reason'))
  const isNews = data.previous_attributes?.cancel_at !== undefined
  return isNews && subscription.cancel_at !== null ? `cancels ${time(subscription.cancel_at)}` : ''
}

function dunning(invoice: Resource, time: TimeText): string[] {
  const next = time(invoice.next_payment_attempt)
  const attempt = attemptNumber(Number(invoice.attempt_count), maxAttempts(invoice))
  return [`attempt ${attempt}`, next ? `next ${next}` : 'no more attempts']
}

/** Returns the number of attempts to charge an invoice; null in Stripe's API, whose merchants choose their retry schedule. */
const maxAttempts = (invoice: Resource): number | null =>
  'account_country' in invoice ? null : attemptsOf(DEFAULT_RETRIES)

const declineOf = (error: unknown): string => text(field(error, 'decline_code')) || text(field(error, 'code'))

const reasonOf = ({ status, outcome, failure_code }: Resource): string =>
  status === 'failed' ? text(field(outcome, 'reason')) || text(failure_code) : ''

function methodOf({ type, card }: Resource): string {
  const last4 = text(field(card, 'last4'))
  return methodText({ type: text(type), card: last4 ? { brand: text(field(card, 'brand')), last4 } : null })
}
