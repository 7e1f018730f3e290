import type { Event } from '../client/types.ts'
import type { Next } from './advance-menu.ts'
import type { ClockView } from './clock-view.ts'
import type { Command } from './command.ts'
import { EMPTY_LOG, type Entry, type EventLog } from './event-log.ts'
import type { Rate } from './rate.ts'
import { FOLLOWING, type Viewport } from './viewport.ts'

/** The merchant that was asked for; null for all of them. Names are those that merchants had at the start. */
export type Watched = { readonly merchant: string | null; readonly names: ReadonlyMap<string, string> }

/** What keys act on. */
export type Mode =
  | { readonly name: 'list' | 'help' | 'filter' }
  | { readonly name: 'event'; readonly event: Event; readonly scroll: number }
  | { readonly name: 'advance'; readonly choice: number; readonly next: Next }

/** Something to say for some seconds. */
export type Notice = { readonly text: string; readonly isError: boolean; readonly until: number }

/** What became of the events that are posted elsewhere. */
export type Forwarding = {
  readonly url: string
  readonly secret: string
  readonly delivered: number
  readonly failed: number
  /** Why the last one failed. */
  readonly lastFailure: string | null
}

/** All that the terminal UI knows. It changes by step() alone, and is drawn by view(). */
export type State = {
  readonly columns: number
  readonly rows: number
  readonly watched: Watched
  readonly mode: Mode
  readonly log: EventLog
  readonly filter: string
  /** The entries that the filter lets through. */
  readonly shown: readonly Entry[]
  readonly viewport: Viewport
  readonly connection: 'connecting' | 'connected' | 'lost'
  readonly clock: ClockView
  readonly rate: Rate
  /** How many events have arrived, and how many of them went by between two frames. */
  readonly drawnUpTo: number
  readonly undrawn: number
  readonly notice: Notice | null
  readonly forwarding: Forwarding | null
  /** The present, in milliseconds from an arbitrary start. */
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

/** What follows from an action: the state after it, and what is to be done beside. */
export type Step = { readonly state: State; readonly command?: Command }

export const only = (state: State): Step => ({ state })
export const inMode = (state: State, mode: Mode): Step => only({ ...state, mode })
export const backToList = (state: State): Step => inMode(state, { name: 'list' })

const NOTICE_MS = 8_000

/** Says something in the status line for some seconds. */
export const noticed = (state: State, text: string, isError = false): State => ({
  ...state,
  notice: { text, isError, until: state.at + NOTICE_MS },
})
