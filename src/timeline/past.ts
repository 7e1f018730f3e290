import type { TimelineEntryShape as TimelineEntry } from '../http/schemas/timeline.ts'
import { invoiceNote } from './invoice.ts'
import { grouped, type Moment, money, type Namer, type Note, note } from './note.ts'
import { isTrouble, subscriptionNotes } from './subscription.ts'

/**
 * Groups timeline entries by instant, with notes for each object in the order of the events.
 * @param ofInvoice - whether the axis shows an overdue invoice rather than an overdue subscription
 */
export function pastMoments(
  entries: readonly TimelineEntry[],
  { name, ofInvoice, maxAttempts }: { name: Namer; ofInvoice: boolean; maxAttempts: number },
): Moment[] {
  const troubled = new Set<string>()
  return [...grouped(entries, ({ created }) => created)].map(([at, together]) => {
    for (const entry of together) noteTrouble(troubled, entry, ofInvoice)
    return { at, notes: notesOf(together, name, maxAttempts), isTroubled: troubled.size > 0 }
  })
}

function noteTrouble(troubled: Set<string>, entry: TimelineEntry, ofInvoice: boolean): void {
  const { resource, resource_id, type, status } = entry
  const isBad =
    resource === 'subscription' ? isTrouble(status) : ofInvoice && type === 'invoice.payment_failed'
  if (resource !== 'subscription' && !(ofInvoice && resource === 'invoice')) return
  if (isBad) troubled.add(resource_id)
  else if (type !== 'invoice.finalized') troubled.delete(resource_id)
}

/**
 * Writes the notes of one instant. Each change of a subscription has its own notes. Changes of any other object by the same
 * request, or by the clock, are combined at the place of the first. A newer daemon can list kinds that have no notes here.
 */
function notesOf(together: readonly TimelineEntry[], name: Namer, maxAttempts: number): Note[] {
  const groups = grouped(together, ({ id, resource, resource_id, request }) =>
    resource === 'subscription' ? id : `${resource_id} ${request}`,
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first || !Object.hasOwn(NOTES, first.resource)) return []
    return NOTES[first.resource](group, name, { together, maxAttempts })
  })
}

/** Writes the notes of a group. @param context.together - all timeline entries of the same instant */
type NoteWriter = (
  group: readonly TimelineEntry[],
  name: Namer,
  context: { readonly together: readonly TimelineEntry[]; readonly maxAttempts: number },
) => readonly Note[]

/** Writes the notes of each kind of object. A charge is covered by its intent, and an invoice's intent by the invoice. */
const NOTES: Readonly<Record<TimelineEntry['resource'], NoteWriter>> = {
  subscription: (group, name, { together }) =>
    group.flatMap((entry) => subscriptionNotes(entry, together, name)),
  subscription_schedule: (group, name) => group.map((entry) => scheduleNote(entry, name)),
  invoice: (group, name, context) => [invoiceNote(group, name, context) ?? []].flat(),
  payment_intent: (group) => paymentNotes(group),
  charge: () => [],
  refund: (group) =>
    group.map((refund) =>
      refund.type === 'refund.failed'
        ? note('✗', ['refund failed', money(refund)], { colour: 'red' })
        : note('●', ['refund', money(refund), refund.status === 'pending' ? 'pending' : ''], {
            colour: 'yellow',
          }),
    ),
  credit_note: (group) => group.map(creditNote),
  dispute: disputeNotes,
  customer: (group) => group.map(customerNote),
  discount: (group) => group.map(discountNote),
  payment_method: (group) =>
    group.map(({ type, label }) =>
      note('●', [`${label} ${type === 'payment_method.attached' ? 'attached' : 'detached'}`]),
    ),
}

function creditNote(entry: TimelineEntry): Note {
  const what = `credit note ${entry.label}`
  if (entry.type === 'credit_note.voided') return note('■', [what, money(entry), 'void'])
  return note('●', [what, money(entry), entry.type === 'credit_note.updated' ? 'changed' : ''])
}

/** Writes the note of a dispute: its last status at this time. */
function disputeNotes(group: readonly TimelineEntry[]): Note[] {
  const last = group.at(-1)
  if (!last) return []
  const isWon = last.status === 'won'
  const colour = isWon ? 'green' : last.status === 'under_review' ? undefined : 'red'
  const mark = isWon ? '✓' : last.status === 'lost' ? '✗' : '●'
  const isNew = group.some(({ type }) => type === 'charge.dispute.created')
  return [note(mark, ['dispute', money(last), isNew ? last.reason : '', last.status], { colour })]
}

const SCHEDULE_TEXTS: Readonly<Record<string, string>> = {
  created: 'schedule created',
  updated: 'schedule changed',
  expiring: 'schedule expires soon',
  completed: 'schedule completed',
  released: 'released from its schedule',
  canceled: 'schedule canceled',
  aborted: 'schedule aborted',
}

/** Writes the note of a schedule. A change of the current phase means that a phase has begun. */
function scheduleNote({ type, label, reason, subscription, changes = {} }: TimelineEntry, name: Namer): Note {
  const isPhase = type === 'subscription_schedule.updated' && 'current_phase' in changes
  const text = isPhase ? `${label} begins` : SCHEDULE_TEXTS[type.split('.')[1] ?? '']
  return note('●', [`${name(subscription)}${text}`, isPhase ? null : reason])
}

function customerNote({ type, label, changes = {} }: TimelineEntry): Note {
  if (type === 'customer.created') return note('●', ['customer created', label])
  if (type === 'customer.deleted') return note('■', ['customer deleted'], { colour: 'red' })
  return note('●', ['customer changed', Object.keys(changes).join(', ')])
}

const DISCOUNT_STEPS: Readonly<Record<string, string>> = {
  'customer.discount.created': 'added',
  'customer.discount.updated': 'replaces the former one',
  'customer.discount.deleted': 'ended',
}

const discountNote = ({ type, label }: TimelineEntry): Note =>
  note('●', [`discount ${label ?? ''}`.trim(), DISCOUNT_STEPS[type]])

const PAYMENT_ENDS: Readonly<Record<string, string>> = {
  'payment_intent.created': 'not confirmed yet',
  'payment_intent.succeeded': 'paid',
  'payment_intent.requires_action': 'requires action by the customer',
  'payment_intent.canceled': 'canceled',
}

/** Writes the note of a payment without an invoice. A payment of an invoice has one only if it requires action. */
function paymentNotes(group: readonly TimelineEntry[]): Note[] {
  const last = group.at(-1)
  if (!last || (last.invoice !== null && last.type !== 'payment_intent.requires_action')) return []
  const isFailed = last.type === 'payment_intent.payment_failed'
  const isPaid = last.type === 'payment_intent.succeeded'
  const end = isFailed ? `declined: ${last.reason ?? 'no reason given'}` : PAYMENT_ENDS[last.type]
  const colour = isPaid ? 'green' : isFailed ? 'red' : undefined
  return [note(isPaid ? '✓' : isFailed ? '✗' : '●', ['payment', money(last), end], { colour })]
}
