import { type Change, isPlanStep, type PlanStep, type Step, type Written } from '../../core/change.ts'
import { assert } from '../../core/errors.ts'
import { checkInvariants } from '../../core/invariants.ts'
import { invoiceJobs, JOBS_OF_KIND, type Job } from '../../core/jobs.ts'
import type { EventType, Kind, Objects } from '../../core/kinds.ts'
import { codecOf } from '../../store/codec.ts'
import type { NewEntry } from '../../store/journal.ts'
import { Place } from '../../store/place.ts'
import { enqueueDeliveries } from '../resources/webhook-post.ts'
import { updateBilledPeriods } from './billed-period.ts'
import { consumeChargeFault } from './charge-fault.ts'
import type { Clock } from './clock.ts'
import { followUp } from './follow-ups.ts'
import { requeue } from './requeue.ts'
import type { UnitOfWork } from './unit.ts'

type Touched = Omit<Written, 'last'> & { last: Step['after']; readonly place: Place }

/**
 * Writes a change; nothing else writes objects with a journal. Each object is written once, in its last state. Each
 * step gets its journal entry. The jobs are derived from the objects' states.
 * @param clock - the clock on which the change happens
 * @throws ApiError internal_error when the card processor does not answer; then nothing is written
 */
export function apply(unit: UnitOfWork, change: Change, clock: Clock = unit.merchant.clock): void {
  consumeChargeFault(unit, change)
  const touched = new Map<string, Touched>()
  const entries: NewEntry[] = []
  for (const step of change.steps) {
    const place = isPlanStep(step)
      ? unit.store.objects.placeOf('invoice', unit.owner, step.after.id)
      : touch(unit, touched, step).place
    const entry = entryOf(unit, step, { place, seq: unit.store.journal.next + entries.length })
    if (entry) entries.push(entry)
    if (isPlanStep(step)) writePlan(unit, step, place)
  }
  for (const object of touched.values()) writeRow(unit, object)
  updateBilledPeriods(unit, touched)
  record(unit, entries, clock.instant)
  for (const object of touched.values()) queueJobs(unit, object)
  followUp(unit, touched, (following) => apply(unit, following, clock))
}

/** Records the last state of a step's object. */
function touch(unit: UnitOfWork, touched: Map<string, Touched>, { kind, before, after }: Step): Touched {
  const known = touched.get(after.id)
  assert(!known || known.last === before, `each step of ${after.id} starts from the previous one`)
  if (known) {
    known.last = after
    return known
  }
  const place = before === null ? new Place() : unit.store.objects.placeOf(kind, unit.owner, after.id)
  const object = { kind, first: before, last: after, place }
  touched.set(after.id, object)
  return object
}

function writeRow(unit: UnitOfWork, { kind, first, last, place }: Touched): void {
  const { objects } = unit.store
  checkInvariants(kind, last)
  if (first === null) objects.insert(kind, unit.owner, last, place)
  else objects.update(kind, unit.owner, { before: first, after: last }, place)
}

/** Writes an invoice of which only the plan was read. Nothing but its jobs follows from its plan. */
function writePlan(unit: UnitOfWork, { before, after }: PlanStep, place: Place): void {
  unit.store.objects.updatePlan({ before, after }, place)
  requeue(unit, unit.clockOf(after.test_clock), invoiceJobs(before), invoiceJobs(after))
}

/** Appends journal entries, and enqueues the deliveries of their events. */
function record(unit: UnitOfWork, entries: readonly NewEntry[], created: number): void {
  unit.store.journal.append({
    merchant: unit.owner,
    created,
    api_version: unit.apiVersion,
    request: unit.request?.id ?? null,
    idempotency_key: unit.request?.idempotency_key ?? null,
    entries,
  })
  for (const { event } of entries) {
    if (!event) continue
    unit.events.push(event.type)
    enqueueDeliveries(unit, event, created)
  }
}

/**
 * Creates the journal entry of a step; undefined for a step without an event that changes no public field.
 * @param link - the place of the object, whose chain gets the entry, and the seq that the entry will have
 */
function entryOf(
  unit: UnitOfWork,
  step: Step | PlanStep,
  link: { readonly place: Place; readonly seq: number },
): NewEntry | undefined {
  const { kind, before, after, preview } = step
  const publicText = before === null ? null : codecOf(kind).changes(before, after).publicText
  const isChanged = before !== null && publicText !== null
  const type = step.event ?? (isChanged ? eventOfChange(unit, kind) : null)
  if (before !== null && publicText === null && type === null) return undefined
  const { place } = link
  const previous = place.link(link.seq)
  const replaced = before === null || publicText === null ? null : publicText(before)
  return {
    kind,
    place,
    previous,
    entryCount: place.entryCount,
    // By then the row is written, and few entries have a keyframe.
    after: isPlanStep(step) ? () => unit.need(step.kind, step.after.id) : () => step.after,
    replaced,
    event: type && { type, number: unit.ids.nextNumber(unit.owner, 'evt') },
    preview,
  }
}

/** Returns the event of a change that has none of its own. See docs/contract/events-and-webhooks.md#event-types. */
const eventOfChange = ({ rules }: UnitOfWork, kind: Kind): EventType | null =>
  kind === 'invoice' && rules.reportsInvoiceUpdates ? 'invoice.updated' : null

/** Replaces the jobs derived from an object's old state by those derived from its new state. */
function queueJobs(unit: UnitOfWork, { kind, first, last }: Touched): void {
  const derive = JOBS_OF_KIND[kind] as ((object: Step['after']) => Job[]) | undefined
  if (!derive) return
  // What belongs to no customer follows the main clock.
  const clock = unit.clockOf((last as Partial<Objects['invoice']>).test_clock ?? null)
  requeue(unit, clock, first === null ? [] : derive(first), derive(last))
}
