import type { EventType, Kind } from '../../core/kinds.ts'
import type { Store } from '../../store/store.ts'
import type { Ids } from '../machine/ids.ts'
import type { MerchantState } from '../machine/merchant-state.ts'

type Named = { readonly kind: Kind; readonly id: string }

/** Finds the chain of an object's journal entries; undefined if there is no such object or entry. */
export function chainOf({ objects }: Store, { settings }: MerchantState, { kind, id }: Named) {
  const object = objects.seqOf(kind, settings.ordinal, id)
  const newestEntry = object === undefined ? null : objects.newestEntryAt(kind, object)
  return object === undefined || newestEntry === null ? undefined : { kind, object, newestEntry }
}

/** Returns the first event of a type of an object, such as the success of a charge; undefined if it has not happened. */
export function eventOfObject(
  { store, ids }: { readonly store: Store; readonly ids: Ids },
  merchant: MerchantState,
  { type, ...named }: Named & { readonly type: EventType },
): { readonly id: string; readonly created: number } | undefined {
  const chain = chainOf(store, merchant, named)
  if (!chain) return undefined
  const wanted = { types: [type], created: [], limit: 1, order: 'oldest first' } as const
  const [entry] = store.journal.eventsOfObject({ ...chain, ...wanted })
  return entry && { id: ids.of(entry.merchant, 'evt', entry.number), created: entry.created }
}
