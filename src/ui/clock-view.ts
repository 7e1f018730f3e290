import type { Clock } from '../client/types.ts'

/** What is known of the clock that is shown and controlled. */
export type ClockView =
  | { readonly known: 'not yet' }
  /** Several merchants are watched: none of their clocks is meant. */
  | { readonly known: 'several'; readonly count: number }
  /** The merchant is gone. */
  | { readonly known: 'none' }
  | {
      readonly known: 'one'
      readonly clock: Clock
      /** When it was read, in milliseconds. */
      readonly at: number
      /** Where the advance that is under way began, as far as it was seen: Unix seconds. */
      readonly from: number
    }

/** Takes in the clocks as the daemon tells them. */
export function seen(view: ClockView, clocks: readonly Clock[], at: number): ClockView {
  const [clock, ...others] = clocks
  if (!clock) return { known: 'none' }
  if (others.length > 0) return { known: 'several', count: clocks.length }
  const isSame = view.known === 'one' && view.clock.id === clock.id
  const isUnderWay = isSame && view.clock.status === 'advancing' && view.clock.target === clock.target
  const from = isUnderWay ? view.from : isSame ? view.clock.now : clock.now
  return { known: 'one', clock, at, from }
}

/** What a clock shows by now: a live one has gone on since it was read. @param at - milliseconds */
export const nowOf = ({ clock, at: readAt }: ClockView & { known: 'one' }, at: number): number =>
  clock.mode === 'live' && clock.status === 'ready'
    ? clock.now + Math.max(0, Math.floor((at - readAt) / 1000))
    : clock.now

/** How much of an advance is done, from 0 to 1. */
export function progressOf({ clock, from }: ClockView & { known: 'one' }): number {
  const { now, target } = clock
  if (target === null || target <= from) return 1
  return Math.max(0, Math.min(1, (now - from) / (target - from)))
}
