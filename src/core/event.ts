import { matcherOf } from './glob.ts'
import { ALL_EVENT_TYPES, CLOCK_EVENT_TYPES, EVENT_TYPES, type EventType } from './kinds.ts'

/** paytwin: the maximum length in characters of an event type or glob in a request. */
export const MAX_PATTERN_LENGTH = 256

const LONGEST_TYPE = Math.max(...[...ALL_EVENT_TYPES, ...CLOCK_EVENT_TYPES].map((type) => type.length))

/**
 * Returns the event types that a name or glob matches: `invoice.paid`, `invoice.*`, `*`. Empty when it matches none.
 * A stored pattern may have any length; a long one takes linear time.
 * @param types - the types to choose from; by default those of paytwin's own API
 * See docs/contract/clocks.md#stop-on.
 */
export function matchEventTypes(pattern: string): EventType[]
export function matchEventTypes<Type extends string>(pattern: string, types: readonly Type[]): Type[]
export function matchEventTypes(pattern: string, types: readonly string[] = EVENT_TYPES): string[] {
  if (!pattern.includes('*')) return types.filter((type) => type === pattern)
  const glob = pattern.replaceAll(/\*{2,}/g, '*')
  // A glob that matches has at most one star around each character of the longest type.
  if (glob.length > 2 * LONGEST_TYPE + 1) return []
  return types.filter(matcherOf(glob))
}
