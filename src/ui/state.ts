import type { Event } from '../client/types.ts'
import type { Next } from './advance-menu.ts'
import type { ClockView } from './clock-view.ts'
import type { Command } from './command.ts'
import { type Customers, NO_CUSTOMERS } from './customers.ts'
import type { Item } from './entry-log.ts'
import { EMPTY_LIST, type List } from './list.ts'
import type { Rate } from './rate.ts'
import type { Subject, SubjectTimeline } from './subject.ts'
import type { ViewName } from './views.ts'

/** The selected merchant, or null for all. `names` are the merchants' names at the start. */
export type Watched = { readonly merchant: string | null; readonly names: ReadonlyMap<string, string> }

/** The mode, which determines what the keys do. */
export type Mode =
  | { readonly name: 'list' | 'help' | 'filter' }
  | { readonly name: 'json'; readonly item: Item; readonly scroll: number }
  | {
      readonly name: 'timeline'
      /** The event from which it was opened. */
      readonly event: Event
      readonly subject: Subject
      /** undefined while it is being read; a text if it cannot be read. */
      readonly timeline: SubjectTimeline | string | undefined
      readonly scroll: number
    }
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
  /** The visible list. */
  readonly view: ViewName
  readonly lists: Readonly<Record<ViewName, List>>
  readonly customers: Customers
  readonly connection: 'connecting' | 'connected' | 'lost'
  readonly clock: ClockView
  readonly rate: Rate
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
  view: 'events',
  lists: { events: EMPTY_LIST, webhooks: EMPTY_LIST, requests: EMPTY_LIST },
  customers: NO_CUSTOMERS,
  connection: 'connecting',
  clock: { known: 'not yet' },
  rate: [],
  notice: null,
  at: 0,
})

/** The result of an action: the next state, and a command to perform. */
export type Step = { readonly state: State; readonly command?: Command }

export const only = (state: State): Step => ({ state })
export const inMode = (state: State, mode: Mode): Step => only({ ...state, mode })
export const backToList = (state: State): Step => inMode(state, { name: 'list' })

/** Returns the visible list. */
export const listOf = ({ lists, view }: State): List => lists[view]

/** Changes the visible list. */
export const withList = (state: State, change: Partial<List>): State => ({
  ...state,
  lists: { ...state.lists, [state.view]: { ...listOf(state), ...change } },
})

const NOTICE_MS = 8_000

/** Shows a message in the status line for some seconds. */
export const noticed = (state: State, text: string, isError = false): State => ({
  ...state,
  notice: { text, isError, until: state.at + NOTICE_MS },
})
