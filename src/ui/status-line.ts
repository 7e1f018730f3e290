import { counted, thousands } from '../text/display.ts'
import { spread, widthOfAll } from './fit.ts'
import { bodyRows } from './layout.ts'
import { pageOf } from './page.ts'
import type { Span } from './span.ts'
import { listOf, type Notice, type State } from './state.ts'
import { windowOf } from './viewport.ts'
import { VIEW_NAMES, VIEWS } from './views.ts'

/** Writes the last line: the status, and a hint at the keys. */
export function statusLine(state: State): Span[] {
  const { notice, mode, columns } = state
  const [hint = '', ...shorter] = hintsOf(state).map((text): Span => ({ text, colour: 'dim' }))
  if (mode.name === 'filter')
    return spread(
      [{ text: `/${listOf(state).filter}`, colour: 'cyan' }, '▏', matches(state)],
      [hint],
      columns,
    )
  if (notice) return noticeLine(notice, shorter.at(-1) ?? hint, columns)
  const left = mode.name === 'json' || mode.name === 'timeline' ? placeInPage(state) : listStatus(state)
  const fitting = [hint, ...shorter].find((each) => widthOfAll([...left, '  ', each]) <= columns)
  return spread(left, [fitting ?? shorter.at(-1) ?? hint], columns)
}

/** Writes a notice, and the hint if there is room for both. */
function noticeLine({ text, isError }: Notice, hint: Span, columns: number): Span[] {
  const notice: Span = { text, colour: isError ? 'red' : 'yellow' }
  return widthOfAll([notice, '  ', hint]) > columns ? [notice] : spread([notice], [hint], columns)
}

/** Returns the hints of a mode, the longest first. A narrow terminal shows a shorter one. */
function hintsOf({ mode, view }: State): string[] {
  switch (mode.name) {
    case 'list': {
      const others = VIEW_NAMES.filter((name) => name !== view)
      const named = others.map((name) => `${VIEWS[name].key} ${name}  `).join('')
      return [`${named}? help  q quit`, '? help  q quit']
    }
    case 'filter':
      return ['Enter keep  Esc clear']
    case 'json':
      return mode.item.object === 'event'
        ? ['t timeline  ↑↓ scroll  Esc back', 't timeline  Esc back']
        : ['↑↓ scroll  Esc back']
    case 'timeline':
      return ['t JSON  ↑↓ scroll  Esc back', 't JSON  Esc back']
    case 'advance':
      return ['Enter advance  Esc close']
    case 'help':
      return ['Esc back']
  }
}

function listStatus(state: State): Span[] {
  const { log, filter, undrawn } = listOf(state)
  const kept = log.entries.length
  return [
    following(state),
    ...(filter === '' ? [] : ['  ', { text: `/${filter}`, colour: 'cyan' } as const, matches(state)]),
    filter === '' ? `  ${counted(log.arrived, VIEWS[state.view].noun)}` : '',
    kept < log.arrived && !log.held ? `, ${thousands(kept)} kept` : '',
    undrawn > 0 ? `, ${thousands(undrawn)} not drawn` : '',
  ]
}

function following(state: State): Span {
  const { log, shown, viewport } = listOf(state)
  if (log.held) return { text: `paused, ${thousands(log.held.length)} new`, colour: 'yellow' }
  if (viewport.isFollowing) return { text: 'following', colour: 'green' }
  const below = shown.length - windowOf(shown, viewport, bodyRows(state)).end
  return { text: below > 0 ? `${thousands(below)} newer` : 'at the end', colour: 'yellow' }
}

function matches(state: State): Span {
  const { shown, log } = listOf(state)
  return { text: ` ${thousands(shown.length)} of ${thousands(log.entries.length)}`, colour: 'dim' }
}

function placeInPage(state: State): Span[] {
  const { mode } = state
  const { start, lines, all } = pageOf(state)
  const id = mode.name === 'timeline' ? mode.subject.id : mode.name === 'json' ? mode.item.id : ''
  return [id, { text: `  lines ${start + 1}–${start + lines.length} of ${all}`, colour: 'dim' }]
}
