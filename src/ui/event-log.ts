import type { Event } from '../client/types.ts'

/**
 * How many entries are kept: some 40 MB of events at most, and hours of an ordinary sandbox. Older ones are let go; the
 * daemon has them all.
 */
export const MOST_KEPT = 5_000

/** A line of the list: an event, or a note between events. */
export type Entry = {
  /** Its number of arrival, by which it is known while others come and go. */
  readonly n: number
} & ({ readonly event: Event } | { readonly note: string })

/** What has arrived, as far as it is kept. */
export type EventLog = {
  /** Oldest first. */
  readonly entries: readonly Entry[]
  /** What has arrived since the list was paused; undefined when it is not. */
  readonly held: readonly Entry[] | undefined
  /** The number of the next entry. */
  readonly next: number
  /** How many events have arrived in all. */
  readonly arrived: number
}

export const EMPTY_LOG: EventLog = { entries: [], held: undefined, next: 1, arrived: 0 }

/** Adds what has arrived: events, and notes as texts. While paused it is held back, and no more than is kept. */
export function append(log: EventLog, arrived: readonly (Event | string)[]): EventLog {
  const added = arrived.map(
    (what, index): Entry => ({
      n: log.next + index,
      ...(typeof what === 'string' ? { note: what } : { event: what }),
    }),
  )
  const grown = {
    ...log,
    next: log.next + added.length,
    arrived: log.arrived + arrived.filter((what) => typeof what !== 'string').length,
  }
  return log.held
    ? bounded({ ...grown, held: [...log.held, ...added] })
    : bounded({ ...grown, entries: [...log.entries, ...added] })
}

/** Lets the list stand still. */
export const paused = (log: EventLog): EventLog => ({ ...log, held: log.held ?? [] })

/** Lets the list go on, with what has arrived meanwhile. */
export const resumed = (log: EventLog): EventLog =>
  bounded({ ...log, entries: [...log.entries, ...(log.held ?? [])], held: undefined })

const bounded = ({ entries, held, ...log }: EventLog): EventLog => ({
  ...log,
  entries: newest(entries),
  held: held && newest(held),
})

const newest = (entries: readonly Entry[]): readonly Entry[] =>
  entries.length > MOST_KEPT ? entries.slice(-MOST_KEPT) : entries
