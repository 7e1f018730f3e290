import { matchesGlob } from './glob.ts'
import { EVENT_TYPES, type EventType } from './kinds.ts'

/** paytwin: the maximum length in characters of an event type or glob in a request. */
export const MAX_PATTERN_LENGTH = 256

const BY_NAME: ReadonlyMap<string, EventType> = new Map(EVENT_TYPES.map((type) => [type, type]))
const LONGEST_TYPE = Math.max(...EVENT_TYPES.map((type) => type.length))

/**
 * Returns the event types that a name or glob matches: `invoice.paid`, `invoice.*`, `*`. Empty when it matches none.
 * A stored pattern may have any length; a long one costs one pass over it.
 * See docs/contract/clocks.md#stop-on.
 */
export function matchEventTypes(pattern: string): EventType[] {
  if (!pattern.includes('*')) return [BY_NAME.get(pattern) ?? []].flat()
  const glob = pattern.replaceAll(/\*{2,}/g, '*')
  // A glob that matches has at most one star around each character of the longest type.
  if (glob.length > 2 * LONGEST_TYPE + 1) return []
  return EVENT_TYPES.filter((type) => matchesGlob(glob, type))
}
