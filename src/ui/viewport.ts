import type { Entry } from './entry-log.ts'

/**
 * The visible part of a list. It refers to entries by number, so that it stays in place while entries are added at the end
 * and removed at the beginning. If a number is gone, the next one takes its place.
 */
export type Viewport =
  /** The newest entry is selected and visible. */
  | { readonly isFollowing: true }
  | { readonly isFollowing: false; readonly selected: number; readonly top: number }

export const FOLLOWING: Viewport = { isFollowing: true }

/** The visible part of a list as indexes; `end` is exclusive. */
export type Window = { readonly start: number; readonly end: number; readonly selected: number }

/** Returns the part of a list that is visible in `rows` rows. */
export function windowOf(entries: readonly Entry[], viewport: Viewport, rows: number): Window {
  const last = entries.length - 1
  if (viewport.isFollowing)
    return { start: Math.max(0, entries.length - rows), end: entries.length, selected: last }
  const selected = Math.min(indexOf(entries, viewport.selected), last)
  const latest = Math.max(0, Math.min(selected, entries.length - rows))
  // The selected entry stays visible even if the terminal becomes smaller.
  const start = Math.max(Math.min(indexOf(entries, viewport.top), latest), selected - rows + 1, 0)
  return { start, end: Math.min(start + rows, entries.length), selected }
}

/** Moves the selection down by `by` entries, or up if negative. */
export function moved(entries: readonly Entry[], viewport: Viewport, rows: number, by: number): Viewport {
  const { start, selected } = windowOf(entries, viewport, rows)
  const target = Math.max(0, Math.min(entries.length - 1, selected + by))
  if (target === selected && viewport.isFollowing) return viewport
  const top = Math.max(Math.min(start, target), target - rows + 1, 0)
  return { isFollowing: false, selected: entries[target]?.n ?? 0, top: entries[top]?.n ?? 0 }
}

/** Stops following, and keeps the visible part in place. */
export const stopped = (entries: readonly Entry[], viewport: Viewport, rows: number): Viewport => {
  const { start, selected } = windowOf(entries, viewport, rows)
  return { isFollowing: false, selected: entries[selected]?.n ?? 0, top: entries[start]?.n ?? 0 }
}

/** Returns the index of the first entry whose number is at least `n`. */
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
