import { resourceMissing } from '../core/errors.ts'
import type { EventType } from '../core/event.ts'
import type { EventQuery } from '../store/journal.ts'
import type { Engine } from './engine.ts'
import type { MerchantState } from './merchant-state.ts'
import { type RecalledEvent, recall } from './view.ts'

export type EventFilter = {
  readonly types: readonly EventType[]
  readonly created: EventQuery['created']
}

/** Where a page of events lies: after or before an event, in the order newest first. */
export type EventPage = {
  readonly limit: number
  readonly cursor?: { readonly isBackward: boolean; readonly id: string; readonly param: string } | undefined
}

/**
 * Events of one merchant, or of all: newest first, but for a backward cursor the nearest to it first.
 * @throws ApiError resource_missing for an unknown cursor
 */
export function listEvents(
  engine: Engine,
  merchant: MerchantState | null,
  filter: EventFilter,
  page: EventPage,
): RecalledEvent[] {
  const { cursor, limit } = page
  const place = cursor && placeIn(merchant, findEvent(engine, merchant, cursor.id, cursor.param))
  const entries = engine.store.journal.events({
    merchant: merchant?.settings.ordinal ?? null,
    ...filter,
    limit,
    order: cursor?.isBackward ? 'oldest first' : 'newest first',
    ...(cursor && { [cursor.isBackward ? 'above' : 'below']: place }),
  })
  return entries.map((entry) => recallOf(engine, entry))
}

/**
 * Events that were committed after a place, oldest first. A place is a running number of the merchant, or for null, all
 * merchants, a journal seq.
 */
export function eventsAfter(
  engine: Engine,
  merchant: MerchantState | null,
  { types, place, limit }: { types: readonly EventType[]; place: number; limit: number },
): RecalledEvent[] {
  const owner = merchant?.settings.ordinal ?? null
  const query = { merchant: owner, types, created: [], order: 'oldest first', above: place, limit } as const
  return engine.store.journal.events(query).map((entry) => recallOf(engine, entry))
}

/** The newest place: what is committed from now on comes after it. */
export const newestPlace = (engine: Engine, merchant: MerchantState | null): number =>
  engine.store.journal.head(merchant?.settings.ordinal ?? null)

/** An event's place in its merchant's events, or for null in those of all. */
export const placeIn = (merchant: MerchantState | null, { entry }: RecalledEvent): number =>
  merchant ? entry.number : entry.seq

/** @throws ApiError resource_missing when the merchant, or with null any merchant, has no such event */
export function findEvent(
  engine: Engine,
  merchant: MerchantState | null,
  id: string,
  param = 'id',
): RecalledEvent {
  const owners = merchant ? [merchant] : [...engine.merchants.values()]
  for (const { settings } of owners) {
    const number = engine.ids.numberOf(settings.ordinal, 'evt', id)
    const entry = number === undefined ? undefined : engine.store.journal.event(settings.ordinal, number)
    if (entry) return recallOf(engine, entry)
  }
  throw resourceMissing('event', id, param)
}

function recallOf(engine: Engine, entry: RecalledEvent['entry']): RecalledEvent {
  const owner = engine.merchants.get(entry.merchant)
  if (!owner) throw new Error(`the merchant ${entry.merchant} of event ${entry.seq} is there`)
  return recall({ store: engine.store, ids: engine.ids, merchant: owner.settings }, entry)
}
