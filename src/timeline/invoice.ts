import { formatInstant } from '../core/calendar.ts'
import { attemptNumber } from '../core/dunning.ts'
import type { TimelineEntryShape as TimelineEntry } from '../http/schemas/timeline.ts'
import { money, type Namer, type Note, note, type Routine } from './note.ts'

/**
 * Summarizes in one note all events of an invoice that have the same time.
 * @param context.together - all timeline entries with that time, also those of other objects
 */
export function invoiceNote(
  entries: readonly TimelineEntry[],
  name: Namer,
  { together, maxAttempts }: { together: readonly TimelineEntry[]; maxAttempts: number },
): Note | undefined {
  const last = entries.at(-1)
  if (!last) return undefined
  const made = entries.find(({ type }) => type === 'invoice.created')
  const attempted = entries.find(({ attempt }) => attempt !== null)
  const isPaid = last.status === 'paid'
  const isFailed = attempted?.type === 'invoice.payment_failed'
  const isRetry = attempted?.attempt?.scheduled && attempted.attempt.number > 1
  const what = made ? titleOf(made, together) : isRetry ? 'retry' : 'invoice'
  const parts = [
    `${name(last.subscription)}${what}${last.label === null ? '' : ` ${last.label}`}`,
    money(last),
    balanceText(last),
    last.credited ? `${money({ ...last, amount: last.credited })} credited` : '',
    attempted && (isFailed || !made || !attempted.attempt?.scheduled)
      ? attemptText(attempted, maxAttempts)
      : '',
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

/** Names the reason of an invoice: the end of a trial or of the subscription, a first period, a renewal, or another. */
function titleOf({ reason, subscription }: TimelineEntry, together: readonly TimelineEntry[]): string {
  const own = together.filter(({ resource_id }) => resource_id === subscription)
  if (reason === 'subscription_update' && own.some(({ type }) => type === 'subscription.deleted'))
    return 'final invoice'
  return own.some(({ previous_status }) => previous_status === 'trialing')
    ? 'trial ends'
    : (TITLES[reason ?? ''] ?? 'invoice')
}

/** Describes how the customer's balance was applied to an invoice; empty if it was not. */
function balanceText({ applied_balance: applied, amount, currency }: TimelineEntry): string {
  if (!applied || amount === null) return ''
  const part = money({ amount: Math.abs(applied), currency })
  if (applied < 0) return `${part} from balance`
  return amount < 0 ? `${part} to balance` : `${part} of balance added`
}

function attemptText({ attempt, type, reason }: TimelineEntry, maxAttempts: number): string {
  const outcome = type === 'invoice.paid' ? 'paid' : `declined: ${reason ?? 'no reason given'}`
  return attempt?.scheduled
    ? `attempt ${attemptNumber(attempt.number, maxAttempts)} ${outcome}`
    : manualText(outcome)
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
  'invoice.will_be_due': 'will be due',
  'invoice.overdue': 'overdue',
}

/** Describes the invoice's final status, unless the attempt's text already contains it. */
const endText = (
  { type, finalizes_at }: TimelineEntry,
  { isNew, attempted }: { isNew: boolean; attempted: TimelineEntry | undefined },
): string => {
  if (finalizes_at) return `draft until ${formatInstant(finalizes_at)}`
  return type === 'invoice.paid' && attempted && !(isNew && attempted.attempt?.scheduled)
    ? ''
    : (ENDS[type] ?? '')
}

const routineOf = ({
  type,
  finalizes_at,
  amount,
  currency,
  label,
  subscription,
}: TimelineEntry): Routine => ({
  outcome:
    type !== 'invoice.created' ? (ENDS[type] ?? '') : finalizes_at ? 'billed as drafts' : 'left as drafts',
  amount: amount ?? 0,
  currency: currency ?? '',
  label,
  subscription,
})
