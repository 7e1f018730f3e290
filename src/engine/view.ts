import type { Kind, Objects } from '../core/change.ts'
import type { Merchant } from '../store/directory.ts'
import type { HistoryReader } from '../store/history.ts'
import type { EventEntry } from '../store/journal.ts'
import type { Filter } from '../store/list-query.ts'
import type { Page } from '../store/objects.ts'
import type { Store } from '../store/store.ts'
import type { Ids } from './ids.ts'

export type { Filter } from '../store/list-query.ts'

/** What a presenter may look at: a merchant's objects, all as of one moment. */
export type View = {
  readonly merchant: Merchant
  readonly ids: Ids
  get<K extends Kind>(kind: K, id: string): Objects[K] | undefined
}

/** The present, which can be listed too. */
export type CurrentView = View & {
  list<K extends Kind>(kind: K, filters: readonly Filter[], page: Page): Objects[K][]
  /** The place of an object in the order of creation. */
  placeOf(kind: Kind, id: string): number | undefined
}

type Sources = { readonly store: Store; readonly ids: Ids; readonly merchant: Merchant }
type PastSources = Sources & { readonly history: HistoryReader }

/** The objects as they are. */
export const currentView = ({ store, ids, merchant }: Sources): CurrentView => ({
  merchant,
  ids,
  get: (kind, id) => store.objects.get(kind, merchant.ordinal, id),
  list: (kind, filters, page) => store.objects.list(kind, merchant.ordinal, filters, page),
  placeOf: (kind, id) => store.objects.seqOf(kind, merchant.ordinal, id),
})

/** The objects as they were right after a journal entry. See docs/contract/events-and-webhooks.md#event-object. */
const viewAsOf = ({ store, ids, merchant, history }: PastSources, seq: number): View => ({
  merchant,
  ids,
  get: (kind, id) => {
    const object = store.objects.seqOf(kind, merchant.ordinal, id)
    return object === undefined ? undefined : history.asOf(kind, object, seq)
  },
})

/** An event with the object that it tells of, before and after. */
export type RecalledEvent = {
  readonly entry: EventEntry
  readonly id: string
  readonly after: Objects[Kind]
  /** The object before the event, when it is an update. */
  readonly before: Objects[Kind] | null
  /** How many deliveries of it are not over. */
  readonly pending: number
  readonly view: View
}

/**
 * Recalls from the journal what an event told.
 * @param sources.history - one for all events of a page
 */
export function recall(sources: PastSources, entry: EventEntry): RecalledEvent {
  const after = sources.history.asOf(entry.kind, entry.object, entry.seq)
  const id = sources.ids.of(entry.merchant, 'evt', entry.number)
  return {
    entry,
    id,
    after,
    pending: sources.store.deliveries.pendingCount(id),
    before:
      entry.type.endsWith('.updated') && entry.replaced
        ? ({ ...after, ...entry.replaced } as Objects[Kind])
        : null,
    view: viewAsOf(sources, entry.seq),
  }
}
