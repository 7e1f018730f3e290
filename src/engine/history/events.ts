import { resourceMissing } from '../../core/errors.ts'
import type { EventType, Kind } from '../../core/kinds.ts'
import { assertIntact } from '../../store/damage.ts'
import type { EventQuery } from '../../store/event-query.ts'
import type { HistoryReader } from '../../store/history.ts'
import type { EventEntry } from '../../store/journal.ts'
import type { Store } from '../../store/store.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import { chainOf } from './object-events.ts'
import { type EventWithObject, reconstructEvent } from './view.ts'

export type EventFilter = {
  readonly types: readonly EventType[]
  readonly created: EventQuery['created']
}

/** A page of events: after or before an event, in the order newest first. */
export type EventPage = {
  readonly limit: number
  readonly cursor?: { readonly isBackward: boolean; readonly id: string; readonly param: string } | undefined
}

/**
 * Lists events of one merchant, or of all, newest first; with a backward cursor oldest first. Each is reconstructed when it is read.
 * @throws ApiError resource_missing for an unknown cursor
 */
export function listEvents(
  engine: Engine,
  merchant: MerchantState | null,
  filter: EventFilter,
  page: EventPage,
): Iterable<EventWithObject> {
  const { cursor, limit } = page
  const entry = cursor && findEntry(engine, merchant, cursor.id, cursor.param)
  const place = entry && (merchant ? entry.number : entry.seq)
  const entries = engine.store.journal.events({
    merchant: merchant?.settings.ordinal ?? null,
    ...filter,
    limit,
    order: cursor?.isBackward ? 'oldest first' : 'newest first',
    ...(cursor && { [cursor.isBackward ? 'above' : 'below']: place }),
  })
  return recallEach(engine, entries)
}

/**
 * Lists events of one object of a merchant, as listEvents lists those of all.
 * @throws ApiError resource_missing for an unknown cursor, or one of another object
 */
export function listEventsOfObject(
  engine: Engine,
  merchant: MerchantState,
  { kind, id }: { readonly kind: Kind; readonly id: string },
  filter: EventFilter,
  { cursor, limit }: EventPage,
): Iterable<EventWithObject> {
  const chain = chainOf(engine.store, merchant, { kind, id })
  if (!chain) return []
  const { object } = chain
  const entry = cursor && findEntry(engine, merchant, cursor.id, cursor.param)
  if (cursor && entry && (entry.kind !== kind || entry.object !== object))
    throw resourceMissing(`event of ${id}`, cursor.id, cursor.param)
  const found = engine.store.journal.eventsOfObject({
    ...chain,
    ...filter,
    limit,
    order: cursor?.isBackward ? 'oldest first' : 'newest first',
    ...(entry && { [cursor.isBackward ? 'above' : 'below']: entry.seq }),
  })
  return recallEach(engine, found)
}

/** Lists the ids of the requests that caused the newest events of an object. */
export function requestsOfObject(
  { store }: Engine,
  merchant: MerchantState,
  object: { readonly kind: Kind; readonly id: string },
  limit: number,
): string[] {
  const chain = chainOf(store, merchant, object)
  if (!chain) return []
  const wanted = { types: [], created: [], limit, order: 'newest first' } as const
  const entries = store.journal.eventsOfObject({ ...chain, ...wanted })
  return entries.flatMap(({ request }) => request ?? [])
}

/**
 * Lists events that were committed after a place, oldest first. A place is a running number of the merchant, or for all
 * merchants (null) a journal seq.
 */
export function eventsAfter(
  engine: Engine,
  merchant: MerchantState | null,
  { types, place, limit }: { types: readonly EventType[]; place: number; limit: number },
): EventWithObject[] {
  const owner = merchant?.settings.ordinal ?? null
  const query = { merchant: owner, types, created: [], order: 'oldest first', above: place, limit } as const
  return [...recallEach(engine, engine.store.journal.events(query))]
}

/** Returns the place of a merchant's newest event, or for null of the newest of all, up to a place among all. */
export function placeAt({ store }: Engine, merchant: MerchantState | null, placeInAll: number): number {
  if (!merchant) return placeInAll
  const { ordinal } = merchant.settings
  return Math.max(store.journal.numberAt(ordinal, placeInAll), store.clockEvents.headAt(ordinal, placeInAll))
}

/** Finds an event. @throws ApiError resource_missing when the merchant (or any merchant, for null) has no such event */
export const findEvent = (engine: Engine, merchant: MerchantState | null, id: string): EventWithObject =>
  recallOf(engine, findEntry(engine, merchant, id, 'id'), engine.store.openHistory())

/** Finds the journal entry of an event. @throws ApiError resource_missing; RowDamaged when it was emitted, but is missing */
export function findEntry(
  engine: Engine,
  merchant: MerchantState | null,
  id: string,
  param: string,
): EventEntry {
  const owners = merchant ? [merchant] : [...engine.merchants.values()]
  for (const { settings } of owners) {
    const number = engine.ids.numberOf(settings.ordinal, 'evt', id)
    if (number === undefined) continue
    const entry = engine.store.journal.event(settings.ordinal, number)
    if (entry) return entry
    // Events have all numbers, and only those of a whole merchant are deleted.
    assertIntact(
      number > engine.ids.newest(settings.ordinal, 'evt'),
      `the event ${id} is missing in its index`,
    )
  }
  throw resourceMissing('event', id, param)
}

/** Reconstructs the events of a page, one after another. Small objects are read together, because each statement takes some time. */
export function* recallEach(
  engine: Engine,
  entries: readonly EventEntry[],
): Generator<EventWithObject, void> {
  const { store, ids } = engine
  const history = store.openHistory()
  if (entries.length > 1) {
    history.load(entries.map(({ kind, object, seq }) => ({ kind, object, entry: seq })))
    loadPaymentMethods(store, history, entries)
  }
  const pending = store.deliveries.pendingCounts(
    entries.map(({ merchant, number }) => ids.of(merchant, 'evt', number)),
  )
  for (const entry of entries) yield recallOf(engine, entry, history, (event) => pending.get(event) ?? 0)
}

/** Reads the payment methods of the intents and charges that were loaded, which are shown with some of their details. */
function loadPaymentMethods(
  { objects }: Store,
  history: HistoryReader,
  entries: readonly EventEntry[],
): void {
  const used = entries.flatMap(({ kind, object, seq, merchant }) => {
    if (kind !== 'payment_intent' && kind !== 'charge') return []
    if (!history.has({ kind, object, entry: seq })) return []
    const { payment_method: id } = history.asOf(kind, object, seq)
    return id === null ? [] : { id, merchant, seq }
  })
  for (const merchant of new Set(used.map((each) => each.merchant))) {
    const own = used.filter((each) => each.merchant === merchant).map(({ id }) => id)
    objects.load('payment_method', merchant, [...new Set(own)])
  }
  const places = used.flatMap(({ id, merchant, seq }) => {
    const object = objects.seqOf('payment_method', merchant, id)
    return object === undefined ? [] : { kind: 'payment_method' as const, object, entry: seq }
  })
  if (places.length > 0) history.load(places)
}

/** Reconstructs an event. */
export function recallOf(
  engine: Engine,
  entry: EventEntry,
  history: HistoryReader,
  pendingOf?: (event: string) => number,
): EventWithObject {
  const owner = engine.merchants.get(entry.merchant)
  if (!owner) throw new Error(`the merchant ${entry.merchant} of event ${entry.seq} does not exist`)
  const { store, ids, url } = engine
  const sources = { store, ids, url, merchant: owner.settings, history }
  return reconstructEvent(sources, entry, pendingOf)
}
