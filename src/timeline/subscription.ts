import { formatInstant } from '../core/calendar.ts'
import { formatAmount } from '../core/money.ts'
import { type Pricing, priceAmount } from '../core/price-amount.ts'
import { factsOf, SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '../core/subscription-status.ts'
import type { TimelineEntryShape as TimelineEntry } from '../http/schemas/timeline.ts'
import type { Colour } from '../text/span.ts'
import { type Mark, money, type Namer, type Note, note } from './note.ts'

type Changes = NonNullable<TimelineEntry['changes']>

/**
 * Writes the notes of a subscription's change: its creation, changed fields, and its status.
 * @param together - all timeline entries of the same instant
 */
export function subscriptionNotes(
  entry: TimelineEntry,
  together: readonly TimelineEntry[],
  name: Namer,
): Note[] {
  const { type, resource_id, status, changes = {} } = entry
  const called = name(resource_id)
  if (type === 'subscription.created') {
    return [note('●', [`${called}subscribed`, status], { colour: statusColour(status) })]
  }
  const text = EVENT_TEXTS[type]
  if (text !== undefined) return [note('●', [called + text])]
  // The end has a separate note.
  const parts = type === 'subscription.updated' ? changeTexts(changes) : []
  return [
    ...(parts.length === 0 ? [] : [note('●', [called + parts[0], ...parts.slice(1)])]),
    ...prorationNotes(entry, called),
    ...statusNotes(entry, together, called),
  ]
}

/** The texts of events that change no status. */
const EVENT_TEXTS: Readonly<Record<string, string>> = {
  'subscription.resumed': 'resumed',
  'subscription.pending_update_applied': 'pending update applied',
  'subscription.pending_update_expired': 'pending update expired',
  'subscription.trial_will_end': 'end of the trial announced',
  'invoice.upcoming': 'next invoice announced',
}

/** Writes a note for each credit and charge of a change within a period. */
const prorationNotes = ({ prorations = [], currency }: TimelineEntry, called: string): Note[] =>
  prorations.map(({ description, amount }) =>
    note('●', [`${called}${money({ amount, currency })}`, description], { colour: 'dim' }),
  )

/** Ranks statuses, so that a change is an improvement, a decline, or the end. */
const RANKS: Readonly<Record<SubscriptionStatus, number>> = {
  active: 3,
  trialing: 3,
  past_due: 2,
  incomplete: 2,
  unpaid: 1,
  paused: 1,
  canceled: 0,
  incomplete_expired: 0,
}

const COLOURS: readonly Colour[] = ['red', 'yellow', 'yellow', 'green']

const rankOf = (status: string | null): number => RANKS[status as SubscriptionStatus] ?? 0

/** Returns the colour of a subscription's status. */
export const statusColour = (status: string | null): Colour => COLOURS[rankOf(status)] ?? 'red'

/** Whether a payment is overdue in this status. */
export const isTrouble = (status: string | null): boolean =>
  SUBSCRIPTION_STATUSES.some((known) => known === status && factsOf({ status: known }).isOverdue)

function statusNotes(entry: TimelineEntry, together: readonly TimelineEntry[], called: string): Note[] {
  const { status, previous_status, reason } = entry
  if (previous_status === null || status === null) return []
  const mark: Mark = rankOf(status) === 0 ? '■' : rankOf(status) < rankOf(previous_status) ? '▼' : '▲'
  const why = reason ?? (isOverdue(entry, together) ? 'an invoice is overdue' : '')
  return [note(mark, [`${called}${previous_status} → ${status}`, why], { colour: statusColour(status) })]
}

/** Whether a due date has passed. No event reports it, but then a subscription is past_due without a failed payment. */
const isOverdue = ({ status, resource_id }: TimelineEntry, together: readonly TimelineEntry[]): boolean =>
  status === 'past_due' &&
  !together.some(
    ({ type, subscription }) => type === 'invoice.payment_failed' && subscription === resource_id,
  )

/** Fields that are not described: they follow from other fields, or the status covers them. */
const OMITTED: ReadonlySet<string> = new Set([
  'status',
  'current_period_start',
  'current_period_end',
  'billing_cycle_anchor',
  'latest_invoice',
  'canceled_at',
  'ended_at',
])

/** Describes the changes of single fields. An empty list means no text. */
const FIELD_TEXTS: Readonly<Record<string, (change: Changes[string], changes: Changes) => string[]>> = {
  cancel_at_period_end: ({ to }, { cancel_at }) =>
    to === true
      ? ['set to cancel at period end', ...instantOf(cancel_at?.to)]
      : ['no longer set to cancel at period end'],
  cancel_at: ({ to }, changes) => {
    if ('cancel_at_period_end' in changes) return []
    return typeof to === 'number' ? ['set to cancel', ...instantOf(to)] : ['no longer set to cancel']
  },
  pause_collection: ({ to }) => pauseText(to),
  pending_update: ({ to }) => (to === null ? [] : ['update waits for its payment']),
  trial_end: ({ to }, changes) => ('status' in changes ? [] : ['trial end changed', ...instantOf(to)]),
  items: ({ from, to }) => [itemsText(costOf(from), costOf(to))],
  default_payment_method: () => ['payment method changed'],
  collection_method: ({ from, to }) => [`${from} → ${to}`],
}

const instantOf = (value: unknown): string[] => (typeof value === 'number' ? [formatInstant(value)] : [])

function changeTexts(changes: Changes): string[] {
  const others = Object.keys(changes).filter((name) => !OMITTED.has(name) && !(name in FIELD_TEXTS))
  return [
    ...Object.entries(changes).flatMap(([name, change]) => FIELD_TEXTS[name]?.(change, changes) ?? []),
    ...(others.length === 0 ? [] : [`changed: ${others.join(', ')}`]),
  ]
}

function pauseText(pause: unknown): string[] {
  if (typeof pause !== 'object' || pause === null) return ['collection resumed']
  const { behavior, resumes_at } = pause as { behavior: string; resumes_at: number | null }
  const until = resumes_at === null ? [] : [`until ${formatInstant(resumes_at)}`]
  return [`collection paused (${behavior})`, ...until]
}

/** Formats the price of a list of items for one period. */
function costOf(items: unknown): string {
  const { data = [] } = (items ?? {}) as {
    data?: readonly { price: (Pricing & { currency: string }) | null; quantity: number | null }[]
  }
  const amount = data.reduce(
    (sum, { price, quantity }) => sum + (price && quantity !== null ? priceAmount(price, quantity) : 0),
    0,
  )
  return formatAmount(amount, data[0]?.price?.currency ?? '')
}

const itemsText = (before: string, after: string): string =>
  before === after ? 'items changed' : `${before} → ${after} a period`
