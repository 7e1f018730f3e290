import type { Event } from '../client/types.ts'

/**
 * How many entries are kept: at most some 40 MB of events, and hours of an ordinary sandbox. The daemon still has older
 * events.
 */
export const MAX_ENTRIES = 5_000

/** A line of the list: an event, or a note between events. */
export type Entry = {
  /** Its number of arrival, which identifies it while other entries come and go. */
  readonly n: number
} & ({ readonly event: Event } | { readonly note: string })

/** The entries that have arrived and are kept. */
export type EventLog = {
  /** Oldest first. */
  readonly entries: readonly Entry[]
  /** The entries that have arrived since the list was paused; undefined if it is not paused. */
  readonly held: readonly Entry[] | undefined
  /** The number of the next entry. */
  readonly next: number
  /** How many events have arrived in all. */
  readonly arrived: number
}

export const EMPTY_LOG: EventLog = { entries: [], held: undefined, next: 1, arrived: 0 }

/** Appends events, and notes as texts. While the list is paused they are held back, up to the same maximum. */
export function append(log: EventLog, arrived: readonly (Event | string)[]): EventLog {
  const added = arrived.map(
    (item, index): Entry => ({
      n: log.next + index,
      ...(typeof item === 'string' ? { note: item } : { event: item }),
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

/** Pauses the list. */
export const paused = (log: EventLog): EventLog => ({ ...log, held: log.held ?? [] })

/** Resumes the list, with the entries that have arrived in the meantime. */
export const resumed = (log: EventLog): EventLog =>
  bounded({ ...log, entries: [...log.entries, ...(log.held ?? [])], held: undefined })

const bounded = ({ entries, held, ...log }: EventLog): EventLog => ({
  ...log,
  entries: newest(entries),
  held: held && newest(held),
})

const newest = (entries: readonly Entry[]): readonly Entry[] =>
  entries.length > MAX_ENTRIES ? entries.slice(-MAX_ENTRIES) : entries
