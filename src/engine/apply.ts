import type { Change, Kind, Objects, Step } from '../core/change.ts'
import { assert } from '../core/errors.ts'
import { invoiceJobs, type Job, refundJobs, subscriptionJobs } from '../core/jobs.ts'
import { changedFields, pick } from '../store/codec.ts'
import { PRIVATE_FIELDS } from '../store/columns.ts'
import type { NewEntry } from '../store/journal.ts'
import { noteAttempt } from './charge-fault.ts'
import type { Clock } from './clock.ts'
import { requeue } from './requeue.ts'
import type { Unit } from './unit.ts'
import { post } from './webhook-post.ts'

type Touched = {
  readonly kind: Kind
  readonly first: Step['before']
  last: Step['after']
  seq: number
}

/**
 * Writes a change: all that the journal tells is written here, and nowhere else. Each object is written once, in its last
 * state; each step leaves its journal entry; the jobs follow from the objects' states.
 * @param clock - the clock on which it happens
 * @throws ApiError internal_error when the card processor did not answer: then nothing is written
 */
export function apply(unit: Unit, change: Change, clock: Clock = unit.merchant.clock): void {
  noteAttempt(unit, change)
  const touched = new Map<string, Touched>()
  for (const { kind, before, after } of change.steps) {
    const known = touched.get(after.id)
    assert(!known || known.last === before, `the steps of ${after.id} follow one another`)
    if (known) known.last = after
    else touched.set(after.id, { kind, first: before, last: after, seq: 0 })
  }
  for (const object of touched.values()) object.seq = writeRow(unit, object)
  record(unit, change.steps, clock.instant, (id) => touched.get(id)?.seq ?? 0)
  for (const object of touched.values()) queueJobs(unit, object)
}

function writeRow(unit: Unit, { kind, first, last }: Touched): number {
  const { objects } = unit.store
  return first === null
    ? objects.insert(kind, unit.owner, last)
    : objects.update(kind, unit.owner, first, last)
}

/** A journal entry for each step, but for those that changed nothing that the public object shows; and a post for each event. */
function record(unit: Unit, steps: readonly Step[], created: number, seqOf: (id: string) => number): void {
  const entries: NewEntry[] = []
  for (const step of steps) {
    const entry = entryOf(unit, step, seqOf)
    if (entry) entries.push(entry)
  }
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
    post(unit, event, created)
  }
}

function entryOf(
  unit: Unit,
  { kind, before, after, event: type }: Step,
  seqOf: (id: string) => number,
): NewEntry | undefined {
  const hidden = PRIVATE_FIELDS[kind] as readonly string[]
  const changed =
    before === null ? [] : changedFields(kind, before, after).filter(({ name }) => !hidden.includes(name))
  if (before !== null && changed.length === 0 && type === null) return undefined
  return {
    kind,
    object: seqOf(after.id),
    replaced: before === null || changed.length === 0 ? null : pick(before, changed),
    event: type && { type, number: unit.ids.nextNumber(unit.owner, 'evt') },
  }
}

const jobsOf: { readonly [K in Kind]?: (object: Objects[K]) => Job[] } = {
  subscription: subscriptionJobs,
  invoice: invoiceJobs,
  refund: refundJobs,
}

/** Puts on the queue what follows from an object's new state, in place of what followed from the old one. */
function queueJobs(unit: Unit, { kind, first, last }: Touched): void {
  const derive = jobsOf[kind] as ((object: Step['after']) => Job[]) | undefined
  if (!derive) return
  const clock = unit.clockOf((last as Objects['invoice']).test_clock)
  requeue(unit, clock, first === null ? [] : derive(first), derive(last))
}
