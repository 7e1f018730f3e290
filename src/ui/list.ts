import { type Customers, NO_CUSTOMERS } from './customers.ts'
import {
  append,
  EMPTY_LOG,
  type Entry,
  type EntryLog,
  type Item,
  paused,
  resumed,
  update,
} from './entry-log.ts'
import { filtered } from './filter.ts'
import { FOLLOWING, type Viewport } from './viewport.ts'

/** The list of a view. */
export type List = {
  readonly log: EntryLog
  readonly filter: string
  /** The entries that match the filter. */
  readonly shown: readonly Entry[]
  readonly viewport: Viewport
  /** The number after the last entry that was drawn. */
  readonly drawnUpTo: number
  /** The number of entries that scrolled past between two frames. */
  readonly undrawn: number
}

export const EMPTY_LIST: List = {
  log: EMPTY_LOG,
  filter: '',
  shown: [],
  viewport: FOLLOWING,
  drawnUpTo: 0,
  undrawn: 0,
}

/** Appends objects and notes. */
export function grownBy(list: List, arrived: readonly (Item | string)[], customers: Customers): List {
  const log = append(list.log, arrived)
  if (log.held) return { ...list, log }
  const oldest = log.entries[0]?.n ?? 0
  const added = log.entries.filter(({ n }) => n >= list.log.next)
  const kept = list.shown.filter(({ n }) => n >= oldest)
  return {
    ...list,
    log,
    shown:
      list.filter === ''
        ? log.entries
        : [...kept, ...filtered(added, list.filter, { customers, among: log.entries })],
  }
}

/** Replaces objects by their newer states, and appends new ones. */
export const updatedBy = (list: List, items: readonly Item[]): List =>
  refiltered({ ...list, log: update(list.log, items) })

/** Counts the present entries as drawn: those from before the start, or from while the list was hidden. */
export const seen = (list: List): List => ({ ...list, drawnUpTo: list.log.next })

/** Applies the filter to all entries, for example because customers' names have become known. */
export const refiltered = (list: List, customers: Customers = NO_CUSTOMERS): List => ({
  ...list,
  shown: filtered(list.log.entries, list.filter, { customers, among: list.log.entries }),
})

export const withFilter = (list: List, filter: string, customers: Customers): List =>
  filter === list.filter ? list : refiltered({ ...list, filter }, customers)

/** Pauses or resumes a list. */
export function toggledPause(list: List, customers: Customers): List {
  const log = list.log.held ? resumed(list.log) : paused(list.log)
  return refiltered({ ...list, log, drawnUpTo: log.next }, customers)
}

/**
 * Counts the entries that scrolled past since the last frame.
 * @param rows - the number of visible rows of the list; null if the list was hidden or did not follow the newest entry
 */
export function drawn(list: List, rows: number | null): List {
  const { log, drawnUpTo, undrawn } = list
  const added = rows === null ? 0 : countSince(list.shown, drawnUpTo)
  const passed = Math.max(0, added - (rows ?? 0))
  const next = log.held ? drawnUpTo : log.next
  return next === drawnUpTo && passed === 0 ? list : { ...list, drawnUpTo: next, undrawn: undrawn + passed }
}

/** Counts the entries at the end of a list whose number is at least `n`. */
function countSince(entries: readonly Entry[], n: number): number {
  let count = 0
  while (count < entries.length && (entries[entries.length - 1 - count]?.n ?? 0) >= n) count += 1
  return count
}
