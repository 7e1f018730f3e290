import type { Event, Resource } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { MAX_ATTEMPTS } from '../core/dunning.ts'
import { formatAmount } from '../core/money.ts'
import type { Colour, Output, Span } from './output.ts'

/** The width of the text before the status, so that a line fits 80 columns. */
const TEXT_WIDTH = 44

/** The fields of an invoice that the timeline shows. */
type Invoice = Resource & {
  readonly number: string
  readonly total: number
  readonly currency: string
  readonly attempt_count: number
  readonly next_payment_attempt: number | null
  readonly billing_reason: string
}

/** What happened to a customer at one instant: the outcome of a payment, and the subscription's status afterwards. */
type Moment = {
  readonly day: string
  readonly invoice: Invoice
  readonly isPaid: boolean
  /** Whether the payment was a retry: then no invoice was created at this instant. */
  readonly isRetry: boolean
  /** The decline reason. */
  readonly reason: string
  readonly status: string
}

/** Prints a customer's timeline: each payment attempt, and the change of the subscription's status. */
export function timeline(events: readonly Event[], out: Output): void {
  let status = ''
  for (const together of byInstant(events)) {
    const moment = momentOf(together, status)
    if (!moment) continue
    out.line(...headline(moment, status))
    const attempt = attemptText(moment)
    if (attempt) out.line(' '.repeat(16), { text: attempt, colour: 'dim' })
    status = moment.status
  }
}

function byInstant(events: readonly Event[]): Event[][] {
  const groups = new Map<number, Event[]>()
  for (const event of events) groups.set(event.created, [...(groups.get(event.created) ?? []), event])
  return [...groups.values()]
}

function momentOf(events: readonly Event[], statusBefore: string): Moment | undefined {
  const outcome = events.find(({ type }) => type === 'invoice.paid' || type === 'invoice.payment_failed')
  if (!outcome) return undefined
  const ofSubscription = events.findLast(({ data }) => data.object.object === 'subscription')
  const declined = events.find(({ type }) => type === 'charge.failed')?.data.object
  const verdict = declined?.outcome as { reason: string } | undefined
  return {
    day: date(outcome.created),
    invoice: outcome.data.object as Invoice,
    isPaid: outcome.type === 'invoice.paid',
    isRetry: !events.some(({ type }) => type === 'invoice.created'),
    reason: verdict?.reason ?? 'no usable card',
    status: ofSubscription ? String(ofSubscription.data.object.status) : statusBefore,
  }
}

const date = (instant: number): string => formatInstant(instant).slice(0, 10)

function headline({ day, invoice, isPaid, isRetry, status }: Moment, statusBefore: string): Span[] {
  const { number, total, currency, billing_reason } = invoice
  const fresh = billing_reason === 'subscription_create' ? 'subscribes' : 'renewal'
  const outcome = isPaid ? 'paid' : 'declined'
  const text = `${isRetry ? 'retry' : fresh}: ${number} ${outcome}, ${formatAmount(total, currency)}`
  return [
    `  ${day}  `,
    isPaid ? { text: '✓', colour: 'green' } : { text: '✗', colour: 'red' },
    ` ${status === statusBefore ? text : text.padEnd(TEXT_WIDTH)}`,
    ...(status === statusBefore ? [] : changeOf(statusBefore, status)),
  ]
}

const STATUS_COLOURS: Readonly<Record<string, Colour>> = {
  active: 'green',
  past_due: 'yellow',
  canceled: 'red',
}

const changeOf = (before: string, after: string): Span[] => [
  before === '' ? '' : `${before} → `,
  { text: after, colour: STATUS_COLOURS[after] ?? 'cyan' },
]

/** Describes the attempt's number and the date of the next one. Empty if the first attempt succeeded. */
function attemptText({ invoice: { attempt_count, next_payment_attempt }, isPaid, reason }: Moment): string {
  const which = `attempt ${attempt_count} of ${MAX_ATTEMPTS}`
  if (isPaid) return attempt_count === 1 ? '' : which
  const next = next_payment_attempt === null ? 'no retry left' : `next retry on ${date(next_payment_attempt)}`
  return `${which}: ${reason}; ${next}`
}
