import type { Clock, Event, LoggedRequest, Upcoming } from '../client/types.ts'
import { withClocks } from './clock-view.ts'
import { type Customers, NO_CUSTOMERS, withNamesOf, withRead } from './customers.ts'
import type { Delivery } from './delivery.ts'
import { pressed } from './keys.ts'
import { bodyRows } from './layout.ts'
import { drawn, EMPTY_LIST, grownBy, type List, refiltered, seen, updatedBy } from './list.ts'
import { counted } from './rate.ts'
import { noticed, type State, type Step } from './state.ts'
import type { SubjectTimeline } from './subject.ts'
import type { ViewName } from './views.ts'

/** An input of the terminal UI. */
export type Action =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'resized'; readonly columns: number; readonly rows: number }
  /** Events from before the start. */
  | { readonly kind: 'history'; readonly events: readonly Event[] }
  | { readonly kind: 'arrived'; readonly events: readonly Event[] }
  /** The names of customers that were read because events mention them. */
  | { readonly kind: 'customers'; readonly customers: Customers }
  /** Deliveries in their present state, oldest first. */
  | { readonly kind: 'deliveries'; readonly deliveries: readonly Delivery[] }
  | { readonly kind: 'requests'; readonly requests: readonly LoggedRequest[] }
  /** The timeline of an object, or why it cannot be read. */
  | { readonly kind: 'timeline'; readonly id: string; readonly timeline: SubjectTimeline | string }
  | { readonly kind: 'connection'; readonly connection: State['connection'] }
  /** The sandbox was reset or restored: the following events belong to another history. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'clocks'; readonly clocks: readonly Clock[] }
  /** The response to a command that changed clocks, with a description of its effect. */
  | { readonly kind: 'clock_changed'; readonly clocks: readonly Clock[]; readonly text: string }
  | { readonly kind: 'upcoming'; readonly next: Upcoming | null }
  | { readonly kind: 'notice'; readonly text: string; readonly isError: boolean }
  /** A request with unknown parameters was answered. */
  | { readonly kind: 'ignored'; readonly request: LoggedRequest }
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
    case 'history':
      return changed(arrived(state, action.events), 'events', seen)
    case 'arrived':
      return {
        ...arrived(state, action.events),
        rate: counted(state.rate, state.at, action.events.length),
      }
    case 'customers': {
      const customers = withRead(state.customers, action.customers)
      return changed({ ...state, customers }, 'events', (list) => refiltered(list, customers))
    }
    case 'deliveries':
      return changed(state, 'webhooks', (list) => begun(list, updatedBy(list, action.deliveries)))
    case 'requests':
      return changed(state, 'requests', (list) => begun(list, grownBy(list, action.requests, NO_CUSTOMERS)))
    case 'timeline':
      return state.mode.name === 'timeline' && state.mode.subject.id === action.id
        ? { ...state, mode: { ...state.mode, timeline: action.timeline } }
        : state
    case 'connection':
      return connected(state, action.connection)
    case 'reset':
      return reset(state)
    case 'clocks':
      return { ...state, clock: withClocks(state.clock, action.clocks, state.at) }
    case 'clock_changed':
      return noticed({ ...state, clock: withClocks(state.clock, action.clocks, state.at) }, action.text)
    case 'upcoming':
      return state.mode.name === 'advance' ? { ...state, mode: { ...state.mode, next: action.next } } : state
    case 'notice':
      return noticed(state, action.text, action.isError)
    case 'ignored':
      // An error stays until its time is over.
      return state.notice?.isError ? state : noticed(state, ignoredText(action.request))
    case 'forwarded':
      return forwarded(state, action.failure)
    case 'drawing':
      return drawing(state)
  }
}

/** Formats ignored parameters: `POST /v1/customers ignored zebra`. */
const ignoredText = ({ method, path, ignored_params }: LoggedRequest): string =>
  `${method} ${path.replace(/\?.*$/s, '')} ignored ${ignored_params.join(', ')}`

/** Changes one list. An unchanged list leaves the state as it is, so that the body is not drawn again. */
function changed(state: State, view: ViewName, change: (list: List) => List): State {
  const list = change(state.lists[view])
  return list === state.lists[view] ? state : { ...state, lists: { ...state.lists, [view]: list } }
}

/** Marks the first entries of a list as seen, because they existed before the list was displayed. */
const begun = (before: List, after: List): List => (before.log.arrived === 0 ? seen(after) : after)

function arrived(state: State, events: readonly Event[]): State {
  const customers = withNamesOf(state.customers, events)
  return changed({ ...state, customers }, 'events', (list) => grownBy(list, events, customers))
}

/** Divides the two histories by a note. IDs of deliveries and customers may occur again with another meaning. */
function reset(state: State): State {
  const { events } = state.lists
  const note = 'the sandbox was reset or restored'
  return {
    ...state,
    customers: NO_CUSTOMERS,
    lists: {
      ...state.lists,
      events: grownBy(events, [note], NO_CUSTOMERS),
      webhooks: { ...EMPTY_LIST, filter: state.lists.webhooks.filter },
    },
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

/** Counts the entries that were not displayed, and removes old notices. */
function drawing(state: State): State {
  const hidden = state.mode.name === 'json' || state.mode.name === 'timeline' || state.mode.name === 'help'
  const isWatched = state.lists[state.view].viewport.isFollowing && !hidden
  return {
    ...changed(state, state.view, (list) => drawn(list, isWatched ? bodyRows(state) : null)),
    notice: state.notice && state.notice.until > state.at ? state.notice : null,
  }
}
