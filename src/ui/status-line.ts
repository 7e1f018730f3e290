import { counted, thousands } from '../text/display.ts'
import { jsonLines } from './event-json.ts'
import { spread, widthOfAll } from './fit.ts'
import { bodyRows } from './layout.ts'
import type { Span } from './span.ts'
import type { Notice, State } from './state.ts'
import { windowOf } from './viewport.ts'

/** Writes the last line: the status, and a hint at the keys. */
export function statusLine(state: State): Span[] {
  const { notice, mode, columns } = state
  const hint: Span = { text: HINTS[mode.name], colour: 'dim' }
  if (mode.name === 'filter')
    return spread([{ text: `/${state.filter}`, colour: 'cyan' }, '▏', matches(state)], [hint], columns)
  if (notice) return noticeLine(notice, hint, columns)
  return spread(mode.name === 'event' ? placeInEvent(state) : listStatus(state), [hint], columns)
}

/** Writes a notice, and the hint if there is room for both. */
function noticeLine({ text, isError }: Notice, hint: Span, columns: number): Span[] {
  const notice: Span = { text, colour: isError ? 'red' : 'yellow' }
  return widthOfAll([notice, '  ', hint]) > columns ? [notice] : spread([notice], [hint], columns)
}

const HINTS: Readonly<Record<State['mode']['name'], string>> = {
  list: '? help  q quit',
  filter: 'Enter keep  Esc clear',
  event: '↑↓ scroll  Esc back',
  advance: 'Enter advance  Esc close',
  help: 'Esc back',
}

function listStatus(state: State): Span[] {
  const { log, filter, undrawn } = state
  const kept = log.entries.length
  return [
    following(state),
    ...(filter === '' ? [] : ['  ', { text: `/${filter}`, colour: 'cyan' } as const, matches(state)]),
    filter === '' ? `  ${counted(log.arrived, 'event')}` : '',
    kept < log.arrived && !log.held ? `, ${thousands(kept)} kept` : '',
    undrawn > 0 ? `, ${thousands(undrawn)} not drawn` : '',
  ]
}

function following(state: State): Span {
  const { log, shown, viewport } = state
  if (log.held) return { text: `paused, ${thousands(log.held.length)} new`, colour: 'yellow' }
  if (viewport.isFollowing) return { text: 'following', colour: 'green' }
  const below = shown.length - windowOf(shown, viewport, bodyRows(state)).end
  return { text: below > 0 ? `${thousands(below)} newer` : 'at the end', colour: 'yellow' }
}

const matches = ({ shown, log }: State): Span => ({
  text: ` ${thousands(shown.length)} of ${thousands(log.entries.length)}`,
  colour: 'dim',
})

function placeInEvent(state: State): Span[] {
  const { mode, columns } = state
  if (mode.name !== 'event') return []
  const all = jsonLines(mode.event, columns).length
  const last = Math.min(all, mode.scroll + bodyRows(state))
  return [mode.event.id, { text: `  lines ${mode.scroll + 1}–${last} of ${all}`, colour: 'dim' }]
}
