import type { Kind, Objects } from '../../core/kinds.ts'
import type { WithoutMetadata } from '../../core/metadata.ts'
import type { ShownClock } from '../../core/test-clock.ts'
import type { WebhookDelivery } from '../../core/webhook.ts'
import type { AmountCount, MovingKind } from '../../store/amounts.ts'
import type { ClockEventEntry } from '../../store/clock-events.ts'
import type { Merchant } from '../../store/directory.ts'
import type { HistoryReader } from '../../store/history.ts'
import type { EventEntry } from '../../store/journal.ts'
import type { Filter, Page } from '../../store/list-query.ts'
import type { SearchPage } from '../../store/object-search.ts'
import type { Search } from '../../store/search-query.ts'
import type { Cut } from '../../store/statements.ts'
import type { Store } from '../../store/store.ts'
import type { StoredObjects, Summary } from '../../store/stored-kind.ts'
import type { Ids } from '../machine/ids.ts'

export type { Filter, Page, TimeField } from '../../store/list-query.ts'
export type { Comparison, Operand, Search, SearchClause } from '../../store/search-query.ts'
export type { Cut } from '../../store/statements.ts'
export type { Summary } from '../../store/stored-kind.ts'

/** The objects of a merchant as of one moment, for presenters. */
export type View = {
  readonly merchant: Merchant
  readonly ids: Ids
  /** The address of the daemon, for links to its pages. */
  readonly url: string
  get<K extends Kind>(kind: K, id: string): Objects[K] | undefined
  /** Returns the same object, perhaps without its metadata: long metadata is not read. */
  withoutMetadata<K extends Kind>(kind: K, id: string): WithoutMetadata<Objects[K]> | undefined
  /**
   * Reads objects together, so that `get` then takes no statement for each. Only views of the current objects can.
   * @returns the objects that were read, or are in memory. Large ones are left out
   */
  load?<K extends Kind>(kind: K, ids: readonly string[]): Objects[K][]
  /** Returns the length of all that was read to reconstruct past objects, in characters. Only views of the past can. */
  readLength?(): number
}

/** The current objects, which can also be listed. */
export type CurrentView = View & {
  list<K extends Kind>(kind: K, filters: readonly Filter[], page: Page): Objects[K][]
  /** Lists the same objects without their nested values, which can be long, but for those that are named. */
  summaries<K extends Kind, Nested extends keyof StoredObjects[K] = never>(
    kind: K,
    filters: readonly Filter[],
    page: Page,
    nested?: readonly Nested[],
  ): Summary<StoredObjects[K], Nested>[]
  /** Lists the same objects, but ends early if the objects would be longer than a page can be. */
  listPage<K extends Kind>(kind: K, filters: readonly Filter[], page: Page): Cut<Objects[K]>
  /** Lists the ids of the same objects in steps, for lists that may read all objects: see LimitedTurns. */
  idsInSteps(kind: Kind, filters: readonly Filter[], page: Page): Generator<void, string[]>
  /** Lists the objects that a search finds, newest first, in steps: see LimitedTurns. */
  search<K extends Kind>(kind: K, search: Search, page: SearchPage): Generator<void, Cut<Objects[K]>>
  /** Counts the objects that a search finds, up to a limit, in steps: see LimitedTurns. */
  countFound(kind: Kind, search: Search, limit: number): Generator<void, number>
  /** Counts the objects of a kind by amount, currency and status, in steps for `LimitedTurns.inSteps`. */
  countAmounts(kind: MovingKind): Generator<AmountCount[], void>
  /** Returns the place of an object in the order of creation. */
  placeOf(kind: Kind, id: string): number | undefined
  readonly deliveries: Deliveries
}

/** A merchant's webhook deliveries, which have no past. */
type Deliveries = {
  get(id: string): WebhookDelivery | undefined
  listPage(filters: readonly Filter[], page: Page): Cut<WebhookDelivery>
  placeOf(id: string): number | undefined
}

type Sources = { readonly store: Store; readonly ids: Ids; readonly url: string; readonly merchant: Merchant }
type PastSources = Sources & { readonly history: HistoryReader }

/** Creates a view of the current objects. */
export const currentView = ({ store, ids, url, merchant }: Sources): CurrentView => ({
  merchant,
  ids,
  url,
  get: (kind, id) => store.objects.get(kind, merchant.ordinal, id),
  withoutMetadata: (kind, id) => store.objects.withoutMetadata(kind, merchant.ordinal, id),
  load: (kind, ids) => store.objects.load(kind, merchant.ordinal, ids),
  list: (kind, filters, page) => store.objects.list(kind, merchant.ordinal, filters, page),
  summaries: (kind, filters, page, nested) =>
    store.objects.summaries(kind, merchant.ordinal, filters, page, nested),
  listPage: (kind, filters, page) => store.objects.listPage(kind, merchant.ordinal, filters, page),
  idsInSteps: (kind, filters, page) => store.objects.idsInSteps(kind, merchant.ordinal, filters, page),
  search: (kind, search, page) => store.search.list(kind, merchant.ordinal, search, page),
  countFound: (kind, search, limit) => store.search.count(kind, merchant.ordinal, search, limit),
  countAmounts: (kind) => store.objects.countAmounts(kind, merchant.ordinal),
  placeOf: (kind, id) => store.objects.seqOf(kind, merchant.ordinal, id),
  deliveries: {
    get: (id) => store.deliveries.get(merchant.ordinal, id),
    listPage: (filters, page) => store.deliveries.listPage(merchant.ordinal, filters, page),
    placeOf: (id) => store.deliveries.seqOf(merchant.ordinal, id),
  },
})

/**
 * Returns the method `withoutMetadata` of a view of the past. It returns prices as they are now, which takes less time: of what it
 * returns, only the nickname, the status and the lookup key can have changed, and no amount depends on them.
 */
export const pastWithoutMetadata =
  ({ store, merchant }: Pick<Sources, 'store' | 'merchant'>, get: View['get']): View['withoutMetadata'] =>
  (kind, id) =>
    kind === 'price' ? store.objects.withoutMetadata(kind, merchant.ordinal, id) : get(kind, id)

/** Creates a view of the objects right after a journal entry. See docs/contract/events-and-webhooks.md#event-object. */
function viewAsOf({ store, ids, url, merchant, history }: PastSources, seq: number): View {
  const get: View['get'] = (kind, id) => {
    const object = store.objects.seqOf(kind, merchant.ordinal, id)
    return object === undefined ? undefined : history.asOf(kind, object, seq)
  }
  const withoutMetadata = pastWithoutMetadata({ store, merchant }, get)
  return { merchant, ids, url, get, withoutMetadata, readLength: () => history.readLength }
}

/** An event with its object before and after it. */
export type EventWithObject = {
  readonly entry: EventEntry
  readonly id: string
  /** The kind of the object that it shows. */
  readonly kind: Kind
  /** Whether the object is a preview, which has no id. */
  readonly isPreview: boolean
  readonly after: Objects[Kind]
  /** The object before the event, when it is an update. */
  readonly before: Objects[Kind] | null
  /** The number of its pending deliveries. */
  readonly pending: number
  readonly view: View
}

/** An event of a test clock, which is no object with a journal. */
export type ClockEvent = {
  readonly entry: ClockEventEntry
  readonly id: string
  readonly kind: 'test_clock'
  readonly clock: ShownClock
  /** The number of its pending deliveries. */
  readonly pending: number
  readonly view: View
}

/** An event of an object, or of a test clock. */
export type AnyEvent = EventWithObject | ClockEvent

/** Returns the length of all that was read to show an event and those before it on its page, in characters. */
export const readLengthOf = ({ view }: AnyEvent): number => view.readLength?.() ?? 0

/**
 * Reconstructs an event from the journal. Its object is read when it is first needed: a page may end before.
 * @param sources.history - one reader for all events of a page
 * @param pendingOf - counts the pending deliveries of an event by its id
 */
export function reconstructEvent(
  sources: PastSources,
  entry: EventEntry,
  pendingOf = (event: string) => sources.store.deliveries.pendingCount(event),
): EventWithObject {
  const { store, ids, history } = sources
  const isPreview = entry.type === 'invoice.upcoming'
  const id = ids.of(entry.merchant, 'evt', entry.number)
  let after: Objects[Kind] | undefined
  let before: Objects[Kind] | null | undefined
  const replacedIn = (object: Objects[Kind]) => {
    if (!entry.type.endsWith('.updated')) return null
    const { replaced, left_out = 0 } = entry
    history.countRead(left_out)
    return replaced && ({ ...object, ...replaced } as Objects[Kind])
  }
  const previewed = () => {
    const { invoice, length } = store.journal.previews.get(entry.seq)
    history.countRead(length)
    return invoice
  }
  return {
    entry,
    id,
    kind: isPreview ? 'invoice' : entry.kind,
    isPreview,
    pending: pendingOf(id),
    view: viewAsOf(sources, entry.seq),
    get after() {
      after ??= isPreview ? previewed() : history.asOf(entry.kind, entry.object, entry.seq)
      return after
    },
    get before() {
      if (before === undefined) before = replacedIn(this.after)
      return before
    },
  }
}
