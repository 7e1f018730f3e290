import type { Happening } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { formatAmount } from '../core/money.ts'
import type { SubscriptionStatus } from '../core/subscription.ts'
import type { Colour } from './output.ts'
import { type Mark, type Namer, type Note, note } from './timeline-note.ts'

type Changes = NonNullable<Happening['changes']>

/**
 * What a change of a subscription says: that it began, what else changed, and its status.
 * @param together - all that happened at its instant
 */
export function subscriptionNotes(happening: Happening, together: readonly Happening[], name: Namer): Note[] {
  const { type, resource_id, status, changes = {} } = happening
  const called = name(resource_id)
  if (type === 'subscription.created') {
    return [note('●', [`${called}subscribed`, status], { colour: statusColour(status) })]
  }
  if (type === 'subscription.resumed') return [note('●', [`${called}resumed`])]
  const told = changesTold(changes)
  return [
    ...(told.length === 0 ? [] : [note('●', [called + told[0], ...told.slice(1)])]),
    ...statusNotes(happening, together, called),
  ]
}

/** How good a status is: a change goes up, down, or to the end. */
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

/** How a status looks, wherever it stands. */
export const statusColour = (status: string | null): Colour => COLOURS[rankOf(status)] ?? 'red'

/** Whether money is missing in a status, for a while. */
export const isTrouble = (status: string | null): boolean =>
  status === 'past_due' || status === 'unpaid' || status === 'incomplete'

function statusNotes(happening: Happening, together: readonly Happening[], called: string): Note[] {
  const { status, previous_status, reason } = happening
  if (previous_status === null || status === null) return []
  const mark: Mark = rankOf(status) === 0 ? '■' : rankOf(status) < rankOf(previous_status) ? '▼' : '▲'
  const why = reason ?? (isOverdue(happening, together) ? 'an invoice is overdue' : '')
  return [note(mark, [`${called}${previous_status} → ${status}`, why], { colour: statusColour(status) })]
}

/** No event tells that a due date has passed: it is why a subscription is past due without a failed payment. */
const isOverdue = ({ status, resource_id }: Happening, together: readonly Happening[]): boolean =>
  status === 'past_due' &&
  !together.some(
    ({ type, subscription }) => type === 'invoice.payment_failed' && subscription === resource_id,
  )

/** What follows from the rest, or is told as the status. */
const UNTOLD: ReadonlySet<string> = new Set([
  'status',
  'current_period_start',
  'current_period_end',
  'billing_cycle_anchor',
  'latest_invoice',
  'canceled_at',
  'ended_at',
])

/** Fields whose change has words of its own, or says nothing. */
const TELLERS: Readonly<Record<string, (change: Changes[string], changes: Changes) => string[]>> = {
  cancel_at_period_end: ({ to }, { cancel_at }) =>
    to === true
      ? ['set to end with its period', ...instantOf(cancel_at?.to)]
      : ['no longer set to end with its period'],
  cancel_at: ({ to }, changes) => {
    if ('cancel_at_period_end' in changes) return []
    return typeof to === 'number' ? ['set to end', ...instantOf(to)] : ['no longer set to end']
  },
  pause_collection: ({ to }) => pauseText(to),
  trial_end: ({ to }, changes) => ('status' in changes ? [] : ['trial now ends', ...instantOf(to)]),
  items: ({ from, to }) => [itemsText(costOf(from), costOf(to))],
  default_payment_method: () => ['pays by another method'],
  collection_method: ({ from, to }) => [`${from} → ${to}`],
}

const instantOf = (value: unknown): string[] => (typeof value === 'number' ? [formatInstant(value)] : [])

function changesTold(changes: Changes): string[] {
  const others = Object.keys(changes).filter((name) => !UNTOLD.has(name) && !(name in TELLERS))
  return [
    ...Object.entries(changes).flatMap(([name, change]) => TELLERS[name]?.(change, changes) ?? []),
    ...(others.length === 0 ? [] : [`changed: ${others.join(', ')}`]),
  ]
}

function pauseText(pause: unknown): string[] {
  if (typeof pause !== 'object' || pause === null) return ['collection goes on']
  const { behavior, resumes_at } = pause as { behavior: string; resumes_at: number | null }
  const until = resumes_at === null ? [] : [`until ${formatInstant(resumes_at)}`]
  return [`collection paused (${behavior})`, ...until]
}

/** The items as the API lists them; what one period of them costs, in words. */
function costOf(items: unknown): string {
  const { data = [] } = (items ?? {}) as {
    data?: readonly { price: { unit_amount: number; currency: string } | null; quantity: number }[]
  }
  const amount = data.reduce((sum, { price, quantity }) => sum + (price?.unit_amount ?? 0) * quantity, 0)
  return formatAmount(amount, data[0]?.price?.currency ?? '')
}

const itemsText = (before: string, after: string): string =>
  before === after ? 'other items' : `${before} → ${after} a period`
