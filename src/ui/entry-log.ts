import type { Event, LoggedRequest } from '../client/types.ts'
import type { Delivery } from './delivery.ts'

/**
 * The maximum number of entries: at most some 40 MB of events, and hours of an ordinary sandbox. The daemon still has older
 * events.
 */
export const MAX_ENTRIES = 5_000

/** An object in a list. */
export type Item = Event | Delivery | LoggedRequest

/** A line of a list: an object, or a note between objects. */
export type Entry = {
  /** Its sequence number, which identifies it while entries are added and removed. */
  readonly n: number
} & ({ readonly item: Item } | { readonly note: string })

/** The entries that have arrived and are kept. */
export type EntryLog = {
  /** Oldest first. */
  readonly entries: readonly Entry[]
  /** The entries that have arrived since the list was paused; undefined if it is not paused. */
  readonly held: readonly Entry[] | undefined
  /** The number of the next entry. */
  readonly next: number
  /** The total number of objects that have arrived. */
  readonly arrived: number
}

export const EMPTY_LOG: EntryLog = { entries: [], held: undefined, next: 1, arrived: 0 }

/** Appends objects, and notes as texts. While the list is paused they are held back, up to the same maximum. */
export function append(log: EntryLog, arrived: readonly (Item | string)[]): EntryLog {
  const added = arrived.map(
    (item, index): Entry => ({
      n: log.next + index,
      ...(typeof item === 'string' ? { note: item } : { item }),
    }),
  )
  const grown = {
    ...log,
    next: log.next + added.length,
    arrived: log.arrived + arrived.filter((item) => typeof item !== 'string').length,
  }
  return log.held
    ? bounded({ ...grown, held: [...log.held, ...added] })
    : bounded({ ...grown, entries: [...log.entries, ...added] })
}

/** Replaces objects with their newer states in place, and appends new objects. */
export function update(log: EntryLog, items: readonly Item[]): EntryLog {
  const newer = new Map(items.map((item) => [item.id, item]))
  const replaced = (entry: Entry): Entry => {
    const item = 'item' in entry ? newer.get(entry.item.id) : undefined
    if (!item) return entry
    newer.delete(item.id)
    return { n: entry.n, item }
  }
  const entries = log.entries.map(replaced)
  const held = log.held?.map(replaced)
  return append({ ...log, entries, held }, [...newer.values()])
}

/** Pauses the list. */
export const paused = (log: EntryLog): EntryLog => ({ ...log, held: log.held ?? [] })

/** Resumes the list, with the entries that have arrived in the meantime. */
export const resumed = (log: EntryLog): EntryLog =>
  bounded({ ...log, entries: [...log.entries, ...(log.held ?? [])], held: undefined })

const bounded = ({ entries, held, ...log }: EntryLog): EntryLog => ({
  ...log,
  entries: newest(entries),
  held: held && newest(held),
})

const newest = (entries: readonly Entry[]): readonly Entry[] =>
  entries.length > MAX_ENTRIES ? entries.slice(-MAX_ENTRIES) : entries
