import type { Event } from '../client/types.ts'
import type { Next } from './advance-menu.ts'
import type { ClockView } from './clock-view.ts'
import type { Command } from './command.ts'
import { EMPTY_LOG, type Entry, type EventLog } from './event-log.ts'
import type { Rate } from './rate.ts'
import { FOLLOWING, type Viewport } from './viewport.ts'

/** The selected merchant, or null for all. `names` are the merchants' names at the start. */
export type Watched = { readonly merchant: string | null; readonly names: ReadonlyMap<string, string> }

/** The mode, which determines what the keys do. */
export type Mode =
  | { readonly name: 'list' | 'help' | 'filter' }
  | { readonly name: 'event'; readonly event: Event; readonly scroll: number }
  | { readonly name: 'advance'; readonly choice: number; readonly next: Next }

/** A message that is shown for some seconds. */
export type Notice = { readonly text: string; readonly isError: boolean; readonly until: number }

/** The target and the results of forwarding. */
export type Forwarding = {
  readonly url: string
  readonly secret: string
  readonly delivered: number
  readonly failed: number
  /** The reason of the last failure. */
  readonly lastFailure: string | null
}

/** The state of the terminal UI. Only step() changes it, and view() draws it. */
export type State = {
  readonly columns: number
  readonly rows: number
  readonly watched: Watched
  readonly mode: Mode
  readonly log: EventLog
  readonly filter: string
  /** The entries that match the filter. */
  readonly shown: readonly Entry[]
  readonly viewport: Viewport
  readonly connection: 'connecting' | 'connected' | 'lost'
  readonly clock: ClockView
  readonly rate: Rate
  /** The number after the last entry that was drawn. */
  readonly drawnUpTo: number
  /** How many entries scrolled past between two frames. */
  readonly undrawn: number
  readonly notice: Notice | null
  readonly forwarding: Forwarding | null
  /** The current time, in milliseconds from an arbitrary start. */
  readonly at: number
}

export const startingState = ({
  columns,
  rows,
  watched,
  forward,
}: Pick<State, 'columns' | 'rows' | 'watched'> & {
  readonly forward: Pick<Forwarding, 'url' | 'secret'> | null
}): State => ({
  columns,
  rows,
  watched,
  forwarding: forward && {
    url: forward.url,
    secret: forward.secret,
    delivered: 0,
    failed: 0,
    lastFailure: null,
  },
  mode: { name: 'list' },
  log: EMPTY_LOG,
  filter: '',
  shown: [],
  viewport: FOLLOWING,
  connection: 'connecting',
  clock: { known: 'not yet' },
  rate: [],
  drawnUpTo: 0,
  undrawn: 0,
  notice: null,
  at: 0,
})

/** The result of an action: the next state, and a command to perform. */
export type Step = { readonly state: State; readonly command?: Command }

export const only = (state: State): Step => ({ state })
export const inMode = (state: State, mode: Mode): Step => only({ ...state, mode })
export const backToList = (state: State): Step => inMode(state, { name: 'list' })

const NOTICE_MS = 8_000

/** Shows a message in the status line for some seconds. */
export const noticed = (state: State, text: string, isError = false): State => ({
  ...state,
  notice: { text, isError, until: state.at + NOTICE_MS },
})
