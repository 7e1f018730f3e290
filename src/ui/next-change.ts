import { RATE_SPAN_MS } from './rate.ts'
import type { State } from './state.ts'

/** The interval at which a falling rate is redrawn, in milliseconds. */
const RATE_EVERY_MS = 1_000

/**
 * Returns the milliseconds until the screen changes without an action: a live clock ticks, a rate falls, or a notice
 * disappears. null if it does not.
 */
export function nextChange({ clock: view, rate, notice, at }: State): number | null {
  const waits: number[] = []
  if (view.known === 'one' && view.clock.mode === 'live' && view.clock.status === 'ready')
    waits.push(1_000 - (Math.max(0, at - view.at) % 1_000))
  if (rate.some(([when]) => when > at - RATE_SPAN_MS)) waits.push(RATE_EVERY_MS)
  if (notice) waits.push(Math.max(0, notice.until - at))
  return waits.length > 0 ? Math.min(...waits) : null
}
