import type { AdvanceTarget, Upcoming } from '../client/types.ts'
import { addDuration, LAST_INSTANT } from '../core/calendar.ts'

/** A choice of the menu of `a`. See docs/contract/terminal-ui.md#keys. */
export type AdvanceChoice =
  | { readonly label: string; readonly by: string }
  | { readonly label: string; readonly toNext: true }

export const ADVANCE_CHOICES: readonly AdvanceChoice[] = [
  { label: '1 hour', by: '1h' },
  { label: '1 day', by: '1d' },
  { label: '1 week', by: '1w' },
  { label: '1 month', by: '1mo' },
  { label: 'next job', toNext: true },
]

/** The next due job: undefined while it is being read, null if no job is due. */
export type Next = Upcoming | null | undefined

/** Returns the target of a choice in Unix seconds; undefined if it is unknown or after the last valid instant. */
export function targetOf(choice: AdvanceChoice, now: number, next: Next): number | undefined {
  const instant = 'by' in choice ? addDuration(now, choice.by) : next?.due
  return instant !== undefined && instant <= LAST_INSTANT ? instant : undefined
}

/** Returns the parameters of an advance; undefined if there is no job to advance to. */
export function advanceTargetOf(choice: AdvanceChoice, next: Next): AdvanceTarget | undefined {
  if ('by' in choice) return { by: choice.by }
  return next ? { to: next.due } : undefined
}
