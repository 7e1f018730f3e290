import { MAX_PATTERN_LENGTH } from '../core/event.ts'
import { ADVANCE_CHOICES } from './advance-menu.ts'
import { advance, cancelAdvance, choose, openAdvance, toggleFrozen } from './clock-keys.ts'
import { jsonLines } from './event-json.ts'
import { paused, resumed } from './event-log.ts'
import { filtered } from './filter.ts'
import { bodyRows } from './layout.ts'
import { backToList, inMode, type Mode, only, type State, type Step } from './state.ts'
import { FOLLOWING, moved, stopped, windowOf } from './viewport.ts'

/** A key binding. A key is named by its character, or as `up`, `enter`, `escape`, `ctrl-c`. */
type Binding = {
  readonly keys: readonly string[]
  /** The keys as the help shows them. Bindings without a label are not listed. */
  readonly label?: string
  readonly about?: string
  readonly run: (state: State) => Step
}

/** How many lines of the previous page stay visible. */
const OVERLAP = 1

const pageOf = (state: State): number => Math.max(1, bodyRows(state) - OVERLAP)

/** The keys that scroll lists and texts, with the number of lines. */
const SCROLLING: readonly (readonly [
  keys: readonly string[],
  label: string,
  about: string,
  by: (state: State) => number,
])[] = [
  [['up', 'k'], '↑ k', 'move up', () => -1],
  [['down', 'j'], '↓ j', 'move down', () => 1],
  [['pageup', 'ctrl-b'], 'PgUp', 'page up', (state) => -pageOf(state)],
  [['pagedown', 'ctrl-f', ' '], 'PgDn', 'page down', pageOf],
  [['home', 'g'], 'Home g', 'go to the oldest event', () => Number.NEGATIVE_INFINITY],
]

/** The keys of the list, in the order of the help. See docs/contract/terminal-ui.md#keys. */
export const LIST_KEYS: readonly Binding[] = [
  ...SCROLLING.map(
    ([keys, label, about, by]): Binding => ({
      keys,
      label,
      about,
      run: (state) =>
        only({ ...state, viewport: moved(state.shown, state.viewport, bodyRows(state), by(state)) }),
    }),
  ),
  {
    keys: ['end', 'G'],
    label: 'End G',
    about: 'go to the newest event and follow',
    run: (state) => only({ ...state, viewport: FOLLOWING }),
  },
  {
    keys: ['enter'],
    label: 'Enter',
    about: "show the event's JSON; Esc, Enter or q closes it",
    run: openSelected,
  },
  {
    keys: ['/'],
    label: '/',
    about: 'filter by type, ID or text, such as invoice.* or cus_…; Esc clears it',
    run: (state) => inMode(state, { name: 'filter' }),
  },
  { keys: ['escape'], run: (state) => only(withFilter(state, '')) },
  { keys: ['f'], label: 'f', about: 'follow the newest event, or stop following', run: toggleFollowing },
  { keys: ['p'], label: 'p', about: 'pause or resume the list; no event is lost', run: togglePause },
  {
    keys: ['a'],
    label: 'a',
    about: 'advance the clock by 1h, 1d, 1w or 1mo, or to the next job',
    run: openAdvance,
  },
  { keys: ['c'], label: 'c', about: 'cancel the running advance', run: cancelAdvance },
  { keys: ['z'], label: 'z', about: 'freeze or unfreeze the clock', run: toggleFrozen },
  { keys: ['?'], label: '?', about: 'show this help', run: (state) => inMode(state, { name: 'help' }) },
  {
    keys: ['q'],
    label: 'q',
    about: 'quit (Ctrl-C anywhere)',
    run: (state) => ({ state, command: { do: 'quit' } }),
  },
]

const EVENT_KEYS: readonly Binding[] = [
  ...SCROLLING.map(([keys, , , by]): Binding => ({ keys, run: (state) => scrolled(state, by(state)) })),
  { keys: ['end', 'G'], run: (state) => scrolled(state, Number.POSITIVE_INFINITY) },
  { keys: ['escape', 'enter', 'q'], run: backToList },
]

const HELP_KEYS: readonly Binding[] = [{ keys: ['escape', 'enter', 'q', '?'], run: backToList }]

const ADVANCE_KEYS: readonly Binding[] = [
  { keys: ['up', 'k'], run: (state) => choose(state, (choice) => choice - 1) },
  { keys: ['down', 'j'], run: (state) => choose(state, (choice) => choice + 1) },
  ...ADVANCE_CHOICES.map(
    (_, index): Binding => ({ keys: [String(index + 1)], run: (state) => choose(state, () => index) }),
  ),
  { keys: ['enter'], run: advance },
  { keys: ['escape', 'q', 'a'], run: backToList },
]

/** The keys while a filter is typed. Every other character is added to the filter. */
const FILTER_KEYS: readonly Binding[] = [
  { keys: ['enter'], run: backToList },
  { keys: ['escape'], run: (state) => backToList(withFilter(state, '')) },
  { keys: ['backspace'], run: (state) => only(withFilter(state, [...state.filter].slice(0, -1).join(''))) },
  { keys: ['ctrl-u'], run: (state) => only(withFilter(state, '')) },
]

/** The keys that work in every mode. */
const GLOBAL_KEYS: readonly Binding[] = [
  { keys: ['ctrl-c'], run: (state) => ({ state, command: { do: 'quit' } }) },
  { keys: ['ctrl-l'], run: (state) => ({ state, command: { do: 'redraw' } }) },
]

const KEYS: Readonly<Record<Mode['name'], readonly Binding[]>> = {
  list: LIST_KEYS,
  event: EVENT_KEYS,
  help: HELP_KEYS,
  advance: ADVANCE_KEYS,
  filter: FILTER_KEYS,
}

/** Handles a key in the current mode. Unknown keys do nothing. */
export function pressed(state: State, key: string): Step {
  const binding = [...GLOBAL_KEYS, ...KEYS[state.mode.name]].find(({ keys }) => keys.includes(key))
  if (binding) return binding.run(state)
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

/** Applies a filter; it takes effect while it is typed. */
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
