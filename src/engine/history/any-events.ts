import { resourceMissing } from '../../core/errors.ts'
import { type AnyEventType, type ClockEventType, type EventType, isOfObject } from '../../core/kinds.ts'
import { RULES } from '../../core/rules.ts'
import { CLOCK_EVENT_PREFIX } from '../../core/webhook.ts'
import type { ClockEventEntry } from '../../store/clock-events.ts'
import { assertIntact } from '../../store/damage.ts'
import type { EventQuery } from '../../store/event-query.ts'
import type { EventEntry } from '../../store/journal.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import { type EventPage, findEntry, recallEach, recallOf } from './events.ts'
import { type AnyEvent, type ClockEvent, currentView } from './view.ts'

export type AnyEventFilter = {
  /** Empty for all. */
  readonly types: readonly AnyEventType[]
  readonly created: EventQuery['created']
}

type Owner = MerchantState | null
type Span = Pick<EventQuery, 'below' | 'above'>
type Wanted = AnyEventFilter & Span & Pick<EventQuery, 'limit' | 'order'>

/**
 * Lists events of one merchant, or of all, newest first; with a backward cursor oldest first. Each is reconstructed when it is read.
 * @throws ApiError resource_missing for an unknown cursor
 */
export function listAnyEvents(
  engine: Engine,
  merchant: Owner,
  filter: AnyEventFilter,
  { cursor, limit }: EventPage,
): Iterable<AnyEvent> {
  const place = cursor && placeOfEvent(engine, merchant, cursor)
  const order = cursor?.isBackward ? 'oldest first' : 'newest first'
  const span = cursor ? { [cursor.isBackward ? 'above' : 'below']: place } : {}
  return eventsWithin(engine, merchant, { ...filter, ...span, limit, order })
}

/** Lists events that were committed after a place, oldest first. Each is reconstructed when it is read. */
export const anyEventsAfter = (
  engine: Engine,
  merchant: Owner,
  { types, place, limit }: { types: readonly AnyEventType[]; place: number; limit: number },
): Iterable<AnyEvent> =>
  eventsWithin(engine, merchant, { types, created: [], above: place, limit, order: 'oldest first' })

/** Finds an event. @throws ApiError resource_missing when the merchant (or any merchant, for null) has no such event */
export function findAnyEvent(engine: Engine, merchant: Owner, id: string, param = 'id'): AnyEvent {
  const entry = findAnyEntry(engine, merchant, id, param)
  return 'clock' in entry ? clockEventOf(engine, entry) : recallOf(engine, entry, engine.store.openHistory())
}

/**
 * Returns an event's place among its merchant's events, or for null among those of all. Places of events of objects are whole
 * numbers, and those of test clocks are between them.
 */
export function placeIn(merchant: Owner, entry: AnyEvent['entry']): number {
  if ('clock' in entry) return merchant ? entry.place : entry.place_in_all
  return merchant ? entry.number : entry.seq
}

/**
 * Returns the place of the event with an id.
 * @param cursor.param - the parameter with the id
 * @throws ApiError resource_missing when the merchant (or any merchant, for null) has no such event
 */
export const placeOfEvent = (
  engine: Engine,
  merchant: Owner,
  { id, param }: { id: string; param: string },
): number => placeIn(merchant, findAnyEntry(engine, merchant, id, param))

/**
 * Returns the type of an event without reconstructing its object.
 * @throws ApiError resource_missing when the merchant has no such event
 */
export const typeOfEvent = (engine: Engine, merchant: MerchantState, id: string): AnyEventType =>
  findAnyEntry(engine, merchant, id, 'id').type

/** Returns the newest place; later events come after it. */
export const newestPlace = (engine: Engine, merchant: Owner): number =>
  Math.max(
    engine.store.journal.head(merchant?.settings.ordinal ?? null),
    mayHaveClockEvents(merchant) ? engine.store.clockEvents.head(merchant?.settings.ordinal ?? null) : 0,
  )

/** Returns the id of the newest event up to a place; '' without any. */
export function idAt(engine: Engine, merchant: Owner, place: number): string {
  const wanted = { types: [], created: [], limit: 1, order: 'newest first', below: justAfter(place) } as const
  const [newest] = eventsWithin(engine, merchant, wanted)
  return newest?.id ?? ''
}

/** Places differ by at least a millionth. */
const justAfter = (place: number) => place + 2 ** -21

function eventsWithin(engine: Engine, merchant: Owner, wanted: Wanted): Iterable<AnyEvent> {
  const types = wanted.types
  const ofObjects = types.filter(isOfObject)
  const ofClocks = types.filter((type): type is ClockEventType => !isOfObject(type))
  const isOfAll = types.length === 0
  const found = isOfAll || ofObjects.length > 0 ? objectEvents(engine, merchant, wanted, ofObjects) : []
  if ((!isOfAll && ofClocks.length === 0) || !mayHaveClockEvents(merchant)) return recallEach(engine, found)
  const { below, above, created, limit, order } = wanted
  const entries = engine.store.clockEvents.events({
    merchant: merchant?.settings.ordinal ?? null,
    types: ofClocks,
    created,
    limit,
    order,
    below,
    above,
  })
  return entries.length === 0
    ? recallEach(engine, found)
    : merged(engine, merchant, [...found, ...entries], wanted)
}

/** Reconstructs events of objects and of test clocks in their common order. */
function* merged(
  engine: Engine,
  merchant: Owner,
  entries: readonly AnyEvent['entry'][],
  { limit, order }: Pick<Wanted, 'limit' | 'order'>,
): Generator<AnyEvent, void> {
  const direction = order === 'newest first' ? -1 : 1
  const wanted = entries
    .toSorted((left, right) => direction * (placeIn(merchant, left) - placeIn(merchant, right)))
    .slice(0, limit)
  const ofObjects = recallEach(
    engine,
    wanted.filter((entry): entry is EventEntry => !('clock' in entry)),
  )
  for (const entry of wanted) {
    if ('clock' in entry) yield clockEventOf(engine, entry)
    else {
      const { value } = ofObjects.next()
      if (value) yield value
    }
  }
}

/** Lists events of objects. The bounds may be places of events of test clocks. */
function objectEvents(
  engine: Engine,
  merchant: Owner,
  { created, limit, order, below, above }: Wanted,
  types: readonly EventType[],
): EventEntry[] {
  const { journal } = engine.store
  const owner = merchant?.settings.ordinal ?? null
  const isAtEnd = below === undefined || below > journal.head(owner)
  return journal.events({
    merchant: owner,
    types,
    created,
    limit,
    order,
    ...(!isAtEnd && { below: Math.ceil(below) }),
    ...(above !== undefined && { above: Math.floor(above) }),
  })
}

const mayHaveClockEvents = (merchant: Owner): boolean =>
  merchant === null || RULES[merchant.settings.dialect].reportsTestClocks

const findAnyEntry = (engine: Engine, merchant: Owner, id: string, param: string): AnyEvent['entry'] =>
  findClockEntry(engine, merchant, id) ?? findEntry(engine, merchant, id, param)

function findClockEntry(engine: Engine, merchant: Owner, id: string): ClockEventEntry | undefined {
  if (!id.startsWith(`${CLOCK_EVENT_PREFIX}_`)) return undefined
  const { ids, store } = engine
  for (const { settings } of merchant ? [merchant] : engine.merchants.values()) {
    const number = ids.numberOf(settings.ordinal, CLOCK_EVENT_PREFIX, id)
    if (number === undefined) continue
    const entry = store.clockEvents.event(settings.ordinal, number)
    if (entry) return entry
    assertIntact(
      number > ids.newest(settings.ordinal, CLOCK_EVENT_PREFIX),
      `the event ${id} is missing in its index`,
    )
  }
  return undefined
}

function clockEventOf({ merchants, store, ids, url }: Engine, entry: ClockEventEntry): ClockEvent {
  const id = ids.of(entry.merchant, CLOCK_EVENT_PREFIX, entry.number)
  const owner = merchants.get(entry.merchant)
  if (!owner) throw resourceMissing('event', id)
  return {
    entry,
    id,
    kind: 'test_clock',
    clock: entry.clock,
    pending: store.deliveries.pendingCount(id),
    view: currentView({ store, ids, url, merchant: owner.settings }),
  }
}
