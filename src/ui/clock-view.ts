import type { Clock } from '../client/types.ts'

/** The clock that the UI shows and controls. */
export type ClockView =
  | { readonly known: 'not yet' }
  /** Several merchants are shown, so none of their clocks is selected. */
  | { readonly known: 'several'; readonly count: number }
  /** The merchant was deleted. */
  | { readonly known: 'none' }
  | {
      readonly known: 'one'
      readonly clock: Clock
      /** When it was read, in milliseconds. */
      readonly at: number
      /** The first time seen of the running advance, in Unix seconds. */
      readonly from: number
    }

/** Updates the view with the daemon's clocks. */
export function withClocks(view: ClockView, clocks: readonly Clock[], at: number): ClockView {
  const [clock, ...others] = clocks
  if (!clock) return { known: 'none' }
  if (others.length > 0) return { known: 'several', count: clocks.length }
  const isSame = view.known === 'one' && view.clock.id === clock.id
  const isUnderWay = isSame && view.clock.status === 'advancing' && view.clock.target === clock.target
  const from = isUnderWay ? view.from : isSame ? view.clock.now : clock.now
  if (isSame && isSteady(view.clock, clock)) {
    const ahead_ms = 1000 * (view.clock.now - clock.now) - (view.at - at)
    if (ahead_ms > 0 && ahead_ms < 1000) return { ...view, clock: { ...clock, now: view.clock.now }, from }
  }
  return { known: 'one', clock, at, from }
}

/**
 * Whether a live clock only ticked between two readings. A reading has whole seconds, so it is up to a second behind. Of two such
 * readings the one that is ahead is nearer to the clock.
 */
const isSteady = (before: Clock, after: Clock): boolean =>
  [before, after].every(({ mode, status }) => mode === 'live' && status === 'ready')

/** Returns the clock's current time; a live clock has moved since it was read. @param at - milliseconds */
export const nowOf = ({ clock, at: readAt }: ClockView & { known: 'one' }, at: number): number =>
  clock.mode === 'live' && clock.status === 'ready'
    ? clock.now + Math.max(0, Math.floor((at - readAt) / 1000))
    : clock.now

/** Returns the progress of an advance, from 0 to 1. */
export function progressOf({ clock, from }: ClockView & { known: 'one' }): number {
  const { now, target } = clock
  if (target === null || target <= from) return 1
  return Math.max(0, Math.min(1, (now - from) / (target - from)))
}
