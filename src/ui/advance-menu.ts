import type { AdvanceAim, Upcoming } from '../client/types.ts'
import { addDuration, LAST_INSTANT } from '../core/calendar.ts'

/** How far `a` offers to advance. See docs/contract/terminal-ui.md#keys. */
export type AdvanceChoice =
  | { readonly label: string; readonly by: string }
  | { readonly label: string; readonly toNext: true }

export const ADVANCE_CHOICES: readonly AdvanceChoice[] = [
  { label: '1 hour', by: '1h' },
  { label: '1 day', by: '1d' },
  { label: '1 week', by: '1w' },
  { label: '1 month', by: '1mo' },
  { label: 'to next', toNext: true },
]

/** What comes next on the clock: undefined while it is being asked for, null when nothing is due. */
export type Next = Upcoming | null | undefined

/** Where a choice leads: Unix seconds; undefined when that is not known, or beyond what can be written. */
export function leadsTo(choice: AdvanceChoice, now: number, next: Next): number | undefined {
  const instant = 'by' in choice ? addDuration(now, choice.by) : next?.due
  return instant !== undefined && instant <= LAST_INSTANT ? instant : undefined
}

/** What to ask the daemon for; undefined when there is nothing to advance to. */
export function aimOf(choice: AdvanceChoice, next: Next): AdvanceAim | undefined {
  if ('by' in choice) return { by: choice.by }
  return next ? { to: next.due } : undefined
}
