import { formatInstant } from '../core/calendar.ts'
import { ADVANCE_CHOICES, type AdvanceChoice, type Next, targetOf } from './advance-menu.ts'
import { nowOf } from './clock-view.ts'
import { finderOf } from './customers.ts'
import { deliveryRow } from './delivery-row.ts'
import type { Entry } from './entry-log.ts'
import { eventRow, type RowLayout } from './event-row.ts'
import { fitted, painted, widthOfAll } from './fit.ts'
import { headerLines } from './header.ts'
import { LIST_KEYS } from './keys.ts'
import { bodyRows } from './layout.ts'
import { pageOf } from './page.ts'
import { requestRow } from './request-row.ts'
import { inverse, type Span } from './span.ts'
import { listOf, type State } from './state.ts'
import { statusLine } from './status-line.ts'
import { windowOf } from './viewport.ts'
import { VIEWS, type ViewName } from './views.ts'

/** A screen as lines of terminal text; no line is wider than the terminal. */
export type Frame = {
  readonly header: readonly string[]
  readonly body: readonly string[]
  readonly panel: readonly string[]
  readonly status: string
}

type Line = { readonly spans: readonly Span[]; readonly isSelected?: boolean }

/** Draws the state as lines of text. See docs/contract/terminal-ui.md#screen. */
export function view(state: State, { isColoured }: { isColoured: boolean }): Frame {
  const { columns } = state
  const drawn = ({ spans, isSelected = false }: Line) => drawnLine(spans, { columns, isColoured, isSelected })
  return {
    header: viewHeader(state, { isColoured }),
    body: bodyLines(state).slice(0, bodyRows(state)).map(drawn),
    panel: panelLines(state).map(drawn),
    status: drawn({ spans: statusLine(state) }),
  }
}

/** The header of a frame alone. */
export const viewHeader = (state: State, { isColoured }: { isColoured: boolean }): Frame['header'] =>
  headerLines(state).map((spans) =>
    drawnLine(spans, { columns: state.columns, isColoured, isSelected: false }),
  )

/** The fields of the state that only the header shows. */
const IN_HEADER: ReadonlySet<string> = new Set<keyof State>(['at', 'clock', 'connection', 'rate'])

/** Whether two states look the same below the header. */
export const looksSameBelowHeader = (one: State, other: State): boolean =>
  // The menu shows the clock too, and the list names merchants when there are several.
  other.mode.name !== 'advance' &&
  one.clock.known === other.clock.known &&
  (Object.keys(other) as (keyof State)[]).every((name) => IN_HEADER.has(name) || one[name] === other[name])

function drawnLine(
  spans: readonly Span[],
  { columns, isColoured, isSelected }: { columns: number; isColoured: boolean; isSelected: boolean },
): string {
  const line = fitted(spans, columns)
  if (!isSelected || !isColoured) return painted(line, isColoured)
  return inverse(painted(line, false) + ' '.repeat(columns - widthOfAll(line)))
}

function bodyLines(state: State): Line[] {
  const { mode } = state
  if (mode.name === 'help') return helpLines()
  if (mode.name === 'json' || mode.name === 'timeline') return pageOf(state).lines.map((spans) => ({ spans }))
  return listLines(state)
}

function listLines(state: State): Line[] {
  const { columns, clock, watched, customers, view } = state
  const { shown, viewport, filter, log } = listOf(state)
  if (shown.length === 0) return [{ spans: [{ text: emptyText(view, filter), colour: 'dim' }] }]
  const { start, end, selected } = windowOf(shown, viewport, bodyRows(state))
  const layout = {
    columns: columns - 2,
    merchantName: clock.known === 'several' ? (id: string) => watched.names.get(id) ?? id : null,
    customerOf: finderOf(customers, log.entries),
  }
  return shown.slice(start, end).map((entry, index) => {
    const isSelected = start + index === selected
    return { spans: [isSelected ? '▸ ' : '  ', ...entryRow(entry, layout)], isSelected }
  })
}

const emptyText = (view: ViewName, filter: string): string =>
  filter === ''
    ? `  No ${VIEWS[view].noun}s yet. They appear here as they happen.`
    : `  No ${VIEWS[view].noun} matches ${filter}.`

const LABEL_WIDTH = 9

const helpLines = (): Line[] => [
  { spans: [{ text: 'Keys', colour: 'bold' }] },
  ...LIST_KEYS.filter(({ label }) => label).map(({ label = '', about = '' }) => ({
    spans: ['  ', { text: label.padEnd(LABEL_WIDTH), colour: 'cyan' as const }, about],
  })),
]

function panelLines({ mode, clock: view, at }: State): Line[] {
  if (mode.name !== 'advance' || view.known !== 'one') return []
  const now = nowOf(view, at)
  return [
    { spans: [{ text: `Advance the clock from ${formatInstant(now)}`, colour: 'bold' }] },
    ...ADVANCE_CHOICES.map((choice, index) => ({
      spans: choiceSpans(choice, index, { now, next: mode.next, isChosen: index === mode.choice }),
      isSelected: index === mode.choice,
    })),
  ]
}

function choiceSpans(
  choice: AdvanceChoice,
  index: number,
  { now, next, isChosen }: { now: number; next: Next; isChosen: boolean },
): Span[] {
  const instant = targetOf(choice, now, next)
  const job = 'by' in choice ? [] : [nextText(next)]
  return [
    `${isChosen ? '▸' : ' '} ${index + 1}  ${choice.label.padEnd(LABEL_WIDTH)}`,
    {
      text: [...(instant === undefined ? [] : [`→ ${formatInstant(instant)}`]), ...job].join('  '),
      colour: 'dim',
    },
  ]
}

function nextText(next: Next): string {
  if (next === undefined) return '…'
  if (next === null) return 'none due'
  return [next.kind, next.subscription ?? next.invoice ?? ''].join(' ').trim()
}

/** Formats an entry as a row of its list. */
function entryRow(entry: Entry, layout: RowLayout): Span[] {
  if ('note' in entry) return [{ text: `── ${entry.note} ──`, colour: 'dim' }]
  const { item } = entry
  switch (item.object) {
    case 'event':
      return eventRow(item, layout)
    case 'webhook_delivery':
      return deliveryRow(item, layout.columns)
    case 'request':
      return requestRow(item, layout.columns)
  }
}
