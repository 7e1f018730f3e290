import type { Clock, Event, Upcoming } from '../client/types.ts'
import { withClocks } from './clock-view.ts'
import { append, type Entry } from './event-log.ts'
import { filtered } from './filter.ts'
import { pressed } from './keys.ts'
import { bodyRows } from './layout.ts'
import { counted } from './rate.ts'
import { noticed, type State, type Step } from './state.ts'

/** An input of the terminal UI. */
export type Action =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'resized'; readonly columns: number; readonly rows: number }
  /** Events from before the start. */
  | { readonly kind: 'history'; readonly events: readonly Event[] }
  | { readonly kind: 'arrived'; readonly events: readonly Event[] }
  | { readonly kind: 'connection'; readonly connection: State['connection'] }
  /** The sandbox was reset or restored: the following events belong to another history. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'clocks'; readonly clocks: readonly Clock[] }
  | { readonly kind: 'upcoming'; readonly next: Upcoming | null }
  | { readonly kind: 'notice'; readonly text: string; readonly isError: boolean }
  | { readonly kind: 'forwarded'; readonly failure: string | null }
  /** A frame is about to be drawn. */
  | { readonly kind: 'drawing' }

/**
 * Returns the state after an action, and a command to perform.
 * @param at - the current time, in milliseconds from an arbitrary start
 */
export function step(before: State, action: Action, at: number): Step {
  const state = { ...before, at }
  return action.kind === 'key' ? pressed(state, action.key) : { state: after(state, action) }
}

function after(state: State, action: Exclude<Action, { kind: 'key' }>): State {
  switch (action.kind) {
    case 'resized':
      return { ...state, columns: action.columns, rows: action.rows }
    case 'history': {
      const grown = grownBy(state, action.events)
      return { ...grown, drawnUpTo: grown.log.next }
    }
    case 'arrived':
      return { ...grownBy(state, action.events), rate: counted(state.rate, state.at, action.events.length) }
    case 'connection':
      return connected(state, action.connection)
    case 'reset':
      return grownBy(state, ['the sandbox was reset or restored'])
    case 'clocks':
      return { ...state, clock: withClocks(state.clock, action.clocks, state.at) }
    case 'upcoming':
      return state.mode.name === 'advance' ? { ...state, mode: { ...state.mode, next: action.next } } : state
    case 'notice':
      return noticed(state, action.text, action.isError)
    case 'forwarded':
      return forwarded(state, action.failure)
    case 'drawing':
      return drawn(state)
  }
}

function grownBy(state: State, arrived: readonly (Event | string)[]): State {
  const log = append(state.log, arrived)
  if (log.held) return { ...state, log }
  const oldest = log.entries[0]?.n ?? 0
  const added = log.entries.filter(({ n }) => n >= state.log.next)
  const kept = state.shown.filter(({ n }) => n >= oldest)
  return {
    ...state,
    log,
    shown: state.filter === '' ? log.entries : [...kept, ...filtered(added, state.filter)],
  }
}

/** Updates the connection. A new connection clears the error of the lost one. */
const connected = (state: State, connection: State['connection']): State => ({
  ...state,
  connection,
  notice: connection === 'connected' && state.notice?.isError ? null : state.notice,
})

function forwarded(state: State, failure: string | null): State {
  const { forwarding } = state
  if (!forwarding) return state
  return {
    ...state,
    forwarding:
      failure === null
        ? { ...forwarding, delivered: forwarding.delivered + 1 }
        : { ...forwarding, failed: forwarding.failed + 1, lastFailure: failure },
  }
}

/** Counts the entries that scrolled past since the last frame while the list followed the newest, and removes old notices. */
function drawn(state: State): State {
  const isWatched = state.viewport.isFollowing && state.mode.name !== 'event' && state.mode.name !== 'help'
  const added = isWatched ? countSince(state.shown, state.drawnUpTo) : 0
  return {
    ...state,
    drawnUpTo: state.log.held ? state.drawnUpTo : state.log.next,
    undrawn: state.undrawn + Math.max(0, added - bodyRows(state)),
    notice: state.notice && state.notice.until > state.at ? state.notice : null,
  }
}

/** Counts the entries at the end of a list whose number is at least `n`. */
function countSince(entries: readonly Entry[], n: number): number {
  let count = 0
  while (count < entries.length && (entries[entries.length - 1 - count]?.n ?? 0) >= n) count += 1
  return count
}
