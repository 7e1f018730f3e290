import type { Happening } from '../client/types.ts'
import { invoiceNote } from './timeline-invoice.ts'
import { grouped, type Moment, money, type Namer, type Note, note } from './timeline-note.ts'
import { isTrouble, subscriptionNotes } from './timeline-subscription.ts'

/**
 * What happened, by instant: of each object what became of it, in the order of the events.
 * @param ofInvoice - whether an invoice's own failure is the trouble that the axis shows, rather than a subscription's
 */
export function pastMoments(
  happenings: readonly Happening[],
  { name, ofInvoice }: { name: Namer; ofInvoice: boolean },
): Moment[] {
  const troubled = new Set<string>()
  return [...grouped(happenings, ({ created }) => created)].map(([at, together]) => {
    for (const happening of together) noteTrouble(troubled, happening, ofInvoice)
    return { at, notes: notesOf(together, name), isTroubled: troubled.size > 0 }
  })
}

function noteTrouble(troubled: Set<string>, happening: Happening, ofInvoice: boolean): void {
  const { resource, resource_id, type, status } = happening
  const isBad =
    resource === 'subscription' ? isTrouble(status) : ofInvoice && type === 'invoice.payment_failed'
  if (resource !== 'subscription' && !(ofInvoice && resource === 'invoice')) return
  if (isBad) troubled.add(resource_id)
  else if (type !== 'invoice.finalized') troubled.delete(resource_id)
}

/**
 * A subscription's changes stand each by itself; what one request, or time, did to another object makes one note, where the
 * first of it stands.
 */
function notesOf(together: readonly Happening[], name: Namer): Note[] {
  const told = grouped(together, ({ id, resource, resource_id, request }) =>
    resource === 'subscription' ? id : `${resource_id} ${request}`,
  )
  return [...told.values()].flatMap((group) => {
    const [first] = group
    return first ? NOTES[first.resource](group, name, together) : []
  })
}

/** @param together - all that happened at the same instant */
type Teller = (group: readonly Happening[], name: Namer, together: readonly Happening[]) => readonly Note[]

/** What is said of the objects of each kind. A charge is told by its intent, and an invoice's intent by the invoice. */
const NOTES: Readonly<Record<Happening['resource'], Teller>> = {
  subscription: (group, name, together) =>
    group.flatMap((happening) => subscriptionNotes(happening, together, name)),
  invoice: (group, name, together) => [invoiceNote(group, together, name) ?? []].flat(),
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
  customer: (group) => group.map(customerNote),
  payment_method: (group) =>
    group.map(({ type, label }) =>
      note('●', [`${label} ${type === 'payment_method.attached' ? 'attached' : 'detached'}`]),
    ),
}

function customerNote({ type, label, changes = {} }: Happening): Note {
  if (type === 'customer.created') return note('●', ['customer created', label])
  if (type === 'customer.deleted') return note('■', ['customer deleted'], { colour: 'red' })
  return note('●', ['customer changed', Object.keys(changes).join(', ')])
}

const PAYMENT_ENDS: Readonly<Record<string, string>> = {
  'payment_intent.created': 'to be confirmed',
  'payment_intent.succeeded': 'paid',
  'payment_intent.requires_action': 'waits for the customer',
  'payment_intent.canceled': 'canceled',
}

/** A payment of no invoice; one of an invoice only when it waits for somebody. */
function paymentNotes(group: readonly Happening[]): Note[] {
  const last = group.at(-1)
  if (!last || (last.invoice !== null && last.type !== 'payment_intent.requires_action')) return []
  const isFailed = last.type === 'payment_intent.payment_failed'
  const isPaid = last.type === 'payment_intent.succeeded'
  const end = isFailed ? `declined: ${last.reason ?? 'no reason given'}` : PAYMENT_ENDS[last.type]
  const colour = isPaid ? 'green' : isFailed ? 'red' : undefined
  return [note(isPaid ? '✓' : isFailed ? '✗' : '●', ['payment', money(last), end], { colour })]
}
