import { MAX_PATTERN_LENGTH } from '../core/event.ts'
import { ADVANCE_CHOICES } from './advance-menu.ts'
import { advance, cancelAdvance, choose, openAdvance, toggleFrozen } from './clock-keys.ts'
import { bodyRows } from './layout.ts'
import { seen, toggledPause, withFilter } from './list.ts'
import { openSelected, openTimeline, scrolled, toggleTimeline } from './open-keys.ts'
import { backToList, inMode, listOf, type Mode, only, type State, type Step, withList } from './state.ts'
import { FOLLOWING, moved, stopped } from './viewport.ts'
import { VIEW_NAMES, VIEWS, type ViewName } from './views.ts'

/** A key binding. A key is named by its character, or as `up`, `enter`, `escape`, `ctrl-c`. */
type Binding = {
  readonly keys: readonly string[]
  /** The keys as the help shows them. Bindings without a label are not listed. */
  readonly label?: string
  readonly about?: string
  readonly run: (state: State) => Step
}

/** The number of lines of the previous page that stay visible. */
const OVERLAP = 1

const pageRows = (state: State): number => Math.max(1, bodyRows(state) - OVERLAP)

/** The keys that scroll lists and texts, with the number of lines. */
const SCROLLING: readonly (readonly [
  keys: readonly string[],
  label: string,
  about: string,
  by: (state: State) => number,
])[] = [
  [['up', 'k'], '↑ k', 'move up', () => -1],
  [['down', 'j'], '↓ j', 'move down', () => 1],
  [['pageup', 'ctrl-b'], 'PgUp', 'page up', (state) => -pageRows(state)],
  [['pagedown', 'ctrl-f', ' '], 'PgDn', 'page down', pageRows],
  [['home', 'g'], 'Home g', 'go to the oldest entry', () => Number.NEGATIVE_INFINITY],
]

/** The keys of the list, in the order of the help. See docs/contract/terminal-ui.md#keys. */
export const LIST_KEYS: readonly Binding[] = [
  ...SCROLLING.map(
    ([keys, label, about, by]): Binding => ({
      keys,
      label,
      about,
      run: (state) => {
        const { shown, viewport } = listOf(state)
        return only(withList(state, { viewport: moved(shown, viewport, bodyRows(state), by(state)) }))
      },
    }),
  ),
  {
    keys: ['end', 'G'],
    label: 'End G',
    about: 'go to the newest entry and follow',
    run: (state) => only(withList(state, { viewport: FOLLOWING })),
  },
  {
    keys: ['enter'],
    label: 'Enter',
    about: 'show the JSON, and t in it the timeline; Esc, Enter or q closes it',
    run: openSelected,
  },
  { keys: ['t'], label: 't', about: "show the timeline of the event's object", run: openTimeline },
  ...VIEW_NAMES.map(
    (view): Binding => ({
      keys: [VIEWS[view].key],
      label: VIEWS[view].key,
      about: VIEWS[view].about,
      run: (state) => show(state, view),
    }),
  ),
  {
    keys: ['/'],
    label: '/',
    about: 'filter by type, ID, text or customer, as in invoice.*; Esc clears it',
    run: (state) => inMode(state, { name: 'filter' }),
  },
  { keys: ['escape'], run: (state) => only(filteredBy(state, '')) },
  { keys: ['f'], label: 'f', about: 'follow the newest entry, or stop following', run: toggleFollowing },
  { keys: ['p'], label: 'p', about: 'pause or resume the list; no entry is lost', run: togglePause },
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

/** The keys of an open object. */
const PAGE_KEYS: readonly Binding[] = [
  ...SCROLLING.map(([keys, , , by]): Binding => ({ keys, run: (state) => scrolled(state, by(state)) })),
  { keys: ['end', 'G'], run: (state) => scrolled(state, Number.POSITIVE_INFINITY) },
  { keys: ['t'], run: toggleTimeline },
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
  { keys: ['escape'], run: (state) => backToList(filteredBy(state, '')) },
  {
    keys: ['backspace'],
    run: (state) => only(filteredBy(state, [...listOf(state).filter].slice(0, -1).join(''))),
  },
  { keys: ['ctrl-u'], run: (state) => only(filteredBy(state, '')) },
]

/** The keys that work in every mode. */
const GLOBAL_KEYS: readonly Binding[] = [
  { keys: ['ctrl-c'], run: (state) => ({ state, command: { do: 'quit' } }) },
  { keys: ['ctrl-l'], run: (state) => ({ state, command: { do: 'redraw' } }) },
]

const KEYS: Readonly<Record<Mode['name'], readonly Binding[]>> = {
  list: LIST_KEYS,
  json: PAGE_KEYS,
  timeline: PAGE_KEYS,
  help: HELP_KEYS,
  advance: ADVANCE_KEYS,
  filter: FILTER_KEYS,
}

/** Handles a key in the current mode. Unknown keys do nothing. */
export function pressed(state: State, key: string): Step {
  const binding = [...GLOBAL_KEYS, ...KEYS[state.mode.name]].find(({ keys }) => keys.includes(key))
  if (binding) return binding.run(state)
  const { filter } = listOf(state)
  const hasRoom = filter.length < MAX_PATTERN_LENGTH
  const isTyped = state.mode.name === 'filter' && hasRoom && [...key].length === 1
  return only(isTyped ? filteredBy(state, filter + key) : state)
}

/** Switches to a view. */
function show(state: State, view: ViewName): Step {
  if (view === state.view) return only(state)
  const next = { ...state, view }
  return { state: withList(next, seen(listOf(next))), command: { do: 'show', view } }
}

/** Applies a filter; it takes effect while it is typed. */
const filteredBy = (state: State, filter: string): State =>
  filter === listOf(state).filter
    ? state
    : withList(state, withFilter(listOf(state), filter, state.customers))

function toggleFollowing(state: State): Step {
  const { shown, viewport } = listOf(state)
  return only(
    withList(state, {
      viewport: viewport.isFollowing ? stopped(shown, viewport, bodyRows(state)) : FOLLOWING,
    }),
  )
}

function togglePause(state: State): Step {
  return only(withList(state, toggledPause(listOf(state), state.customers)))
}
