import type { Dispute } from '../../core/dispute.ts'
import { jsonLength, MAX_PAGE_LENGTH } from '../../core/json-text.ts'
import type { EventType, Kind, Objects } from '../../core/kinds.ts'
import type { PaymentIntent } from '../../core/payment-intent.ts'
import type { Refund } from '../../core/refund.ts'
import type { HistoryReader } from '../../store/history.ts'
import type { PastEntry, TimelineScope } from '../../store/past.ts'
import type { Engine } from '../machine/engine.ts'
import type { View } from './view.ts'

/** An event's step: the object before it and after it. */
export type TimelineStep = {
  readonly id: string
  readonly type: EventType
  readonly kind: Kind
  readonly created: number
  readonly request: string | null
  /** The replaced values; null when it created the object, or changed no public field. */
  readonly replaced: Readonly<Record<string, unknown>> | null
  readonly after: Objects[Kind]
  /** The decline code of a failed payment. */
  readonly decline: string | null
}

/** The newest steps up to a moment, in chronological order. */
export type PastSteps = {
  readonly happened: readonly TimelineStep[]
  /** Whether there are older steps. */
  readonly has_more: boolean
  /** The refunds among them, in their last state. */
  readonly refunds: readonly Refund[]
  /** The disputes among them, in their last state. */
  readonly disputes: readonly Dispute[]
}

/**
 * Reads the changes of an object and of its related objects backwards. Each object is reconstructed once, as of its
 * newest change, and its changes are undone one by one. It ends early when the steps become too large for a page.
 * @param wanted.limit - the maximum number of changes, silent ones included
 */
export function readTimelineSteps(
  { store, ids }: Engine,
  view: View,
  { scope, until, limit }: { scope: TimelineScope; until: number | undefined; limit: number },
): PastSteps {
  const history = store.openHistory()
  const entries = store.past.entries(scope, { until, limit: limit + 1 })
  const states = new Map<string, { object: Objects[Kind]; entry: number | null }>()
  const declines = new Map<string, string>()
  const refunds: Refund[] = []
  const disputes: Dispute[] = []
  const steps: TimelineStep[] = []
  let read = 0
  let length = 0
  for (const entry of entries.slice(0, limit)) {
    if (history.readLength > MAX_PAGE_LENGTH && steps.length > 0) break
    const key = `${entry.kind} ${entry.object}`
    const known = states.get(key)
    // Between two entries of a customer, an object may have belonged to another customer.
    const after = known?.entry === entry.seq ? known.object : latest(history, view, entry)
    const { replaced, left_out } = entry
    history.countRead(left_out)
    length += (known ? 0 : jsonLength(after)) + changesLength(after, replaced)
    if (length > MAX_PAGE_LENGTH && steps.length > 0) break
    read += 1
    if (!known && entry.kind === 'refund') refunds.push(after as Refund)
    if (!known && entry.kind === 'dispute') disputes.push(after as Dispute)
    states.set(key, { object: { ...after, ...replaced } as Objects[Kind], entry: entry.previous })
    noteDecline(declines, entry, after)
    if (entry.type === null || entry.number === null) continue
    const { type, kind, created, request } = entry
    const decline = declineOf(declines, entry, after)
    const id = ids.of(entry.merchant, 'evt', entry.number)
    steps.push({ id, type, kind, created, request, replaced, after, decline })
  }
  return { happened: steps.reverse(), has_more: entries.length > read, refunds, disputes }
}

/** Estimates the length of the previous and new values of the fields that an entry replaced. */
const changesLength = (after: Objects[Kind], replaced: PastEntry['replaced']): number =>
  Object.keys(replaced ?? {}).reduce(
    (sum, name) => sum + jsonLength(replaced?.[name]) + jsonLength(after[name as keyof typeof after]),
    0,
  )

/** Returns an object after its newest change, with the private fields of the view. */
function latest(history: HistoryReader, view: View, { kind, object, seq }: PastEntry): Objects[Kind] {
  const recalled = history.asOf(kind, object, seq)
  // The view has the private fields, which the journal does not record.
  return (kind === 'refund' ? view.get(kind, recalled.id) : undefined) ?? recalled
}

/** Records the decline code of an intent. Going back, it comes before the event of its invoice. */
function noteDecline(declines: Map<string, string>, { type }: PastEntry, after: Objects[Kind]): void {
  if (type !== 'payment_intent.payment_failed') return
  const { id, invoice, last_payment_error } = after as PaymentIntent
  if (last_payment_error)
    declines.set(invoice ?? id, last_payment_error.decline_code ?? last_payment_error.code)
}

const declineOf = (
  declines: ReadonlyMap<string, string>,
  { type }: PastEntry,
  after: Objects[Kind],
): string | null => {
  if (type === 'invoice.payment_failed') return declines.get(after.id) ?? null
  if (type !== 'payment_intent.payment_failed') return null
  const { id, invoice } = after as PaymentIntent
  return declines.get(invoice ?? id) ?? null
}
