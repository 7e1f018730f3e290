import { MAX_PATTERN_LENGTH } from '../core/event.ts'
import { ADVANCE_CHOICES } from './advance-menu.ts'
import { advance, cancelAdvance, choose, openAdvance, toggleFrozen } from './clock-keys.ts'
import { jsonLines } from './event-json.ts'
import { paused, resumed } from './event-log.ts'
import { filtered } from './filter.ts'
import { bodyRows } from './layout.ts'
import { backToList, inMode, type Mode, only, type State, type Step } from './state.ts'
import { FOLLOWING, moved, stopped, windowOf } from './viewport.ts'

/** A key is named by its character, or as `up`, `enter`, `escape`, `ctrl-c`. */
type Binding = {
  readonly keys: readonly string[]
  /** How help writes them; bindings without are not listed. */
  readonly label?: string
  readonly about?: string
  readonly does: (state: State) => Step
}

/** How many lines of the screen before stay in sight when a page is turned. */
const OVERLAP = 1

const pageOf = (state: State): number => Math.max(1, bodyRows(state) - OVERLAP)

/** Keys that scroll, wherever something scrolls: by how many lines. */
const SCROLLING: readonly (readonly [
  keys: readonly string[],
  label: string,
  about: string,
  by: (state: State) => number,
])[] = [
  [['up', 'k'], '↑ k', 'up', () => -1],
  [['down', 'j'], '↓ j', 'down', () => 1],
  [['pageup', 'ctrl-b'], 'PgUp', 'a page up', (state) => -pageOf(state)],
  [['pagedown', 'ctrl-f', ' '], 'PgDn', 'a page down', pageOf],
  [['home', 'g'], 'Home g', 'to the oldest', () => Number.NEGATIVE_INFINITY],
]

/** The keys of the list, in the order in which help shows them. See docs/contract/terminal-ui.md#keys. */
export const LIST_KEYS: readonly Binding[] = [
  ...SCROLLING.map(
    ([keys, label, about, by]): Binding => ({
      keys,
      label,
      about,
      does: (state) =>
        only({ ...state, viewport: moved(state.shown, state.viewport, bodyRows(state), by(state)) }),
    }),
  ),
  {
    keys: ['end', 'G'],
    label: 'End G',
    about: 'to the newest, and follow',
    does: (state) => only({ ...state, viewport: FOLLOWING }),
  },
  {
    keys: ['enter'],
    label: 'Enter',
    about: "open the event's JSON; Esc, Enter or q closes it",
    does: openSelected,
  },
  {
    keys: ['/'],
    label: '/',
    about: 'filter by type, id or text, as in invoice.* or cus_…; Esc ends it',
    does: (state) => inMode(state, { name: 'filter' }),
  },
  { keys: ['escape'], does: (state) => only(withFilter(state, '')) },
  { keys: ['f'], label: 'f', about: 'follow the newest event, or stop where it is', does: toggleFollowing },
  { keys: ['p'], label: 'p', about: 'pause: the list stands still, and loses nothing', does: togglePause },
  {
    keys: ['a'],
    label: 'a',
    about: 'advance the clock by 1h, 1d, 1w or 1mo, or to what comes next',
    does: openAdvance,
  },
  { keys: ['c'], label: 'c', about: 'cancel the advance that is under way', does: cancelAdvance },
  { keys: ['z'], label: 'z', about: 'freeze the clock, or let it run on', does: toggleFrozen },
  { keys: ['?'], label: '?', about: 'this help', does: (state) => inMode(state, { name: 'help' }) },
  {
    keys: ['q'],
    label: 'q',
    about: 'quit; so does Ctrl-C, everywhere',
    does: (state) => ({ state, command: { do: 'quit' } }),
  },
]

const EVENT_KEYS: readonly Binding[] = [
  ...SCROLLING.map(([keys, , , by]): Binding => ({ keys, does: (state) => scrolled(state, by(state)) })),
  { keys: ['end', 'G'], does: (state) => scrolled(state, Number.POSITIVE_INFINITY) },
  { keys: ['escape', 'enter', 'q'], does: backToList },
]

const HELP_KEYS: readonly Binding[] = [{ keys: ['escape', 'enter', 'q', '?'], does: backToList }]

const ADVANCE_KEYS: readonly Binding[] = [
  { keys: ['up', 'k'], does: (state) => choose(state, (choice) => choice - 1) },
  { keys: ['down', 'j'], does: (state) => choose(state, (choice) => choice + 1) },
  ...ADVANCE_CHOICES.map(
    (_, index): Binding => ({ keys: [String(index + 1)], does: (state) => choose(state, () => index) }),
  ),
  { keys: ['enter'], does: advance },
  { keys: ['escape', 'q', 'a'], does: backToList },
]

/** While a filter is typed every other character belongs to it. */
const FILTER_KEYS: readonly Binding[] = [
  { keys: ['enter'], does: backToList },
  { keys: ['escape'], does: (state) => backToList(withFilter(state, '')) },
  { keys: ['backspace'], does: (state) => only(withFilter(state, [...state.filter].slice(0, -1).join(''))) },
  { keys: ['ctrl-u'], does: (state) => only(withFilter(state, '')) },
]

/** Keys that mean the same everywhere. */
const GLOBAL_KEYS: readonly Binding[] = [
  { keys: ['ctrl-c'], does: (state) => ({ state, command: { do: 'quit' } }) },
  { keys: ['ctrl-l'], does: (state) => ({ state, command: { do: 'redraw' } }) },
]

const KEYS: Readonly<Record<Mode['name'], readonly Binding[]>> = {
  list: LIST_KEYS,
  event: EVENT_KEYS,
  help: HELP_KEYS,
  advance: ADVANCE_KEYS,
  filter: FILTER_KEYS,
}

/** What a key does where the user is; keys without a meaning do nothing. */
export function pressed(state: State, key: string): Step {
  const binding = [...GLOBAL_KEYS, ...KEYS[state.mode.name]].find(({ keys }) => keys.includes(key))
  if (binding) return binding.does(state)
  const hasRoom = state.filter.length < MAX_PATTERN_LENGTH
  const isTyped = state.mode.name === 'filter' && hasRoom && [...key].length === 1
  return only(isTyped ? withFilter(state, state.filter + key) : state)
}

function openSelected(state: State): Step {
  const { selected } = windowOf(state.shown, state.viewport, bodyRows(state))
  const entry = state.shown[selected]
  return entry && 'event' in entry
    ? inMode(state, { name: 'event', event: entry.event, scroll: 0 })
    : only(state)
}

function scrolled(state: State, by: number): Step {
  const { mode } = state
  if (mode.name !== 'event') return only(state)
  const lowest = Math.max(0, jsonLines(mode.event, state.columns).length - bodyRows(state))
  const scroll = Math.max(0, Math.min(lowest, Math.min(mode.scroll, lowest) + by))
  return inMode(state, { ...mode, scroll })
}

/** A filter acts while it is typed. */
function withFilter(state: State, filter: string): State {
  return filter === state.filter ? state : { ...state, filter, shown: filtered(state.log.entries, filter) }
}

function toggleFollowing(state: State): Step {
  const { shown, viewport } = state
  return only({
    ...state,
    viewport: viewport.isFollowing ? stopped(shown, viewport, bodyRows(state)) : FOLLOWING,
  })
}

function togglePause(state: State): Step {
  const log = state.log.held ? resumed(state.log) : paused(state.log)
  return only({ ...state, log, shown: filtered(log.entries, state.filter), drawnUpTo: log.next })
}
