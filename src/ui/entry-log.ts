import type { Event, LoggedRequest } from '../client/types.ts'
import type { Delivery } from './delivery.ts'

/** The maximum number of entries: hours of an ordinary sandbox. The daemon still has older events. */
export const MAX_ENTRIES = 5_000

/** The maximum size of all entries, in characters of JSON. Only large objects reach it before the maximum number. */
export const MAX_CHARACTERS = 32 * 1_048_576

/** An object in a list. */
export type Item = Event | Delivery | LoggedRequest

/** A line of a list: an object, or a note between objects. */
export type Entry = {
  /** Its sequence number, which identifies it while entries are added and removed. */
  readonly n: number
  /** Its length as JSON, in characters. */
  readonly size: number
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

/** Makes an entry of an object, or of a note. */
export const entryOf = (n: number, item: Item | string): Entry => ({
  n,
  size: JSON.stringify(item).length,
  ...(typeof item === 'string' ? { note: item } : { item }),
})

/** Appends objects, and notes as texts. While the list is paused they are held back, up to the same limits. */
export function append(log: EntryLog, arrived: readonly (Item | string)[]): EntryLog {
  const added = arrived.map((item, index) => entryOf(log.next + index, item))
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
    return entryOf(entry.n, item)
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

/** Returns the newest entries within the limits, at least one. */
function newest(entries: readonly Entry[]): readonly Entry[] {
  let start = entries.length
  let size = 0
  for (const entry of entries.toReversed()) {
    size += entry.size
    const kept = entries.length - start
    if (kept === MAX_ENTRIES || (kept > 0 && size > MAX_CHARACTERS)) break
    start -= 1
  }
  return start > 0 ? entries.slice(start) : entries
}
