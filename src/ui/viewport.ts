import type { Entry } from './event-log.ts'

/**
 * What of a list is looked at. Entries are named by their numbers, so that it stays in place while others come at the end
 * and go at the beginning; a number that is gone stands for the next one that is there.
 */
export type Viewport =
  /** The newest entry is selected, and always in sight. */
  | { readonly isFollowing: true }
  | { readonly isFollowing: false; readonly selected: number; readonly top: number }

export const FOLLOWING: Viewport = { isFollowing: true }

/** The part of a list that is in sight, as indexes: `end` is the first one beyond. */
export type Window = { readonly start: number; readonly end: number; readonly selected: number }

/** What of so many rows is seen of a list. */
export function windowOf(entries: readonly Entry[], viewport: Viewport, rows: number): Window {
  const last = entries.length - 1
  if (viewport.isFollowing)
    return { start: Math.max(0, entries.length - rows), end: entries.length, selected: last }
  const selected = Math.min(indexOf(entries, viewport.selected), last)
  const latest = Math.max(0, Math.min(selected, entries.length - rows))
  // The selected entry stays in sight, also when the terminal has become smaller.
  const start = Math.max(Math.min(indexOf(entries, viewport.top), latest), selected - rows + 1, 0)
  return { start, end: Math.min(start + rows, entries.length), selected }
}

/** Selects the entry that lies so many further down; up when negative. */
export function moved(entries: readonly Entry[], viewport: Viewport, rows: number, by: number): Viewport {
  const { start, selected } = windowOf(entries, viewport, rows)
  const target = Math.max(0, Math.min(entries.length - 1, selected + by))
  if (target === selected && viewport.isFollowing) return viewport
  const top = Math.max(Math.min(start, target), target - rows + 1, 0)
  return { isFollowing: false, selected: entries[target]?.n ?? 0, top: entries[top]?.n ?? 0 }
}

/** Keeps what is in sight where it is, when it follows. */
export const stopped = (entries: readonly Entry[], viewport: Viewport, rows: number): Viewport => {
  const { start, selected } = windowOf(entries, viewport, rows)
  return { isFollowing: false, selected: entries[selected]?.n ?? 0, top: entries[start]?.n ?? 0 }
}

/** The index of the first entry with at least this number. */
function indexOf(entries: readonly Entry[], n: number): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle]?.n ?? 0) < n) low = middle + 1
    else high = middle
  }
  return low
}
