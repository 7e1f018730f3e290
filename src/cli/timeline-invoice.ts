import type { Happening } from '../client/types.ts'
import { MAX_ATTEMPTS } from '../core/dunning.ts'
import { money, type Namer, type Note, note, type Routine } from './timeline-note.ts'

/**
 * Summarizes the events of an invoice at one instant in one note.
 * @param together - all timeline entries of that instant
 */
export function invoiceNote(
  happenings: readonly Happening[],
  together: readonly Happening[],
  name: Namer,
): Note | undefined {
  const last = happenings.at(-1)
  if (!last) return undefined
  const made = happenings.find(({ type }) => type === 'invoice.created')
  const attempted = happenings.find(({ attempt }) => attempt !== null)
  const isPaid = last.status === 'paid'
  const isFailed = attempted?.type === 'invoice.payment_failed'
  const what = made ? titleOf(made, together) : attempted?.attempt?.scheduled ? 'retry' : 'invoice'
  const parts = [
    `${name(last.subscription)}${what}${last.label === null ? '' : ` ${last.label}`}`,
    money(last),
    attempted && (isFailed || !made || !attempted.attempt?.scheduled) ? attemptText(attempted) : '',
    endText(last, { isNew: made !== undefined, attempted }),
  ]
  const mark = isPaid ? '✓' : isFailed ? '✗' : '●'
  const colour = isPaid ? 'green' : isFailed ? 'red' : undefined
  const isRoutine = what === 'renewal' && !isFailed
  return note(mark, parts, { colour, routine: isRoutine ? routineOf(last) : undefined })
}

const TITLES: Readonly<Record<string, string>> = {
  subscription_cycle: 'renewal',
  subscription_create: 'first invoice',
}

/** Names the reason of an invoice: the end of a trial, a first period, a renewal, or another. */
const titleOf = ({ reason, subscription }: Happening, together: readonly Happening[]): string =>
  together.some((other) => other.resource_id === subscription && other.previous_status === 'trialing')
    ? 'trial ends'
    : (TITLES[reason ?? ''] ?? 'invoice')

function attemptText({ attempt, type, reason }: Happening): string {
  const outcome = type === 'invoice.paid' ? 'paid' : `declined: ${reason ?? 'no reason given'}`
  return attempt?.scheduled ? `attempt ${attempt.number} of ${MAX_ATTEMPTS} ${outcome}` : manualText(outcome)
}

const manualText = (outcome: string): string =>
  outcome === 'paid' ? 'paid manually' : `manual payment ${outcome}`

const ENDS: Readonly<Record<string, string>> = {
  'invoice.created': 'stays a draft',
  'invoice.finalized': 'open',
  'invoice.paid': 'paid',
  'invoice.voided': 'void',
  'invoice.marked_uncollectible': 'uncollectible',
  'invoice.deleted': 'deleted',
}

/** Describes the invoice's final status, unless the attempt's text already contains it. */
const endText = (
  { type }: Happening,
  { isNew, attempted }: { isNew: boolean; attempted: Happening | undefined },
): string =>
  type === 'invoice.paid' && attempted && !(isNew && attempted.attempt?.scheduled) ? '' : (ENDS[type] ?? '')

const routineOf = ({ type, amount, currency, label, subscription }: Happening): Routine => ({
  outcome: type === 'invoice.created' ? 'left as drafts' : (ENDS[type] ?? ''),
  amount: amount ?? 0,
  currency: currency ?? '',
  label,
  subscription,
})
