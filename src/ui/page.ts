import { toJson } from '../text/display.ts'
import { drawTimeline, namerOf } from '../timeline/drawing.ts'
import { wrapped } from './fit.ts'
import { bodyRows } from './layout.ts'
import type { Span } from './span.ts'
import type { State } from './state.ts'

/** The visible part of an open object: its lines, and their place among all lines. */
export type Page = {
  readonly lines: readonly (readonly Span[])[]
  readonly start: number
  readonly all: number
}

/** Returns the number of lines of the JSON or the timeline of the current mode. */
export function lineCount({ mode, columns }: State): number {
  if (mode.name === 'json') return jsonLines(mode.item, columns).length
  return mode.name === 'timeline' ? timelineLines({ mode, columns }).length : 0
}

/** Returns the visible part of the JSON or the timeline of the current mode. */
export function pageOf(state: State): Page {
  const { mode, columns } = state
  if (mode.name !== 'json' && mode.name !== 'timeline') return { lines: [], start: 0, all: 0 }
  const rows = bodyRows(state)
  const part = <Line>(lines: readonly Line[], spansOf: (line: Line) => readonly Span[]): Page => {
    const start = Math.min(mode.scroll, Math.max(0, lines.length - rows))
    return { lines: lines.slice(start, start + rows).map(spansOf), start, all: lines.length }
  }
  return mode.name === 'json'
    ? part(jsonLines(mode.item, columns), jsonSpans)
    : part(timelineLines(state), (line) => line)
}

/** Formats an object's JSON in lines of at most `columns` columns; longer lines are wrapped. */
const jsonLines = (object: object, columns: number): string[] =>
  toJson(object, 2)
    .split('\n')
    .flatMap((line) => wrapped(line, columns))

/** Colours the field name of a line of JSON. */
function jsonSpans(line: string): Span[] {
  const [, indent = '', name, rest = ''] = /^(\s*)("(?:[^"\\]|\\.)*"): (.*)$/.exec(line) ?? []
  return name === undefined ? [line] : [indent, { text: name, colour: 'cyan' }, `: ${rest}`]
}

/** Writes the timeline of the current mode as lines. */
function timelineLines({ mode, columns }: Pick<State, 'mode' | 'columns'>): (readonly Span[])[] {
  if (mode.name !== 'timeline') return []
  const { timeline } = mode
  if (timeline === undefined) return [[{ text: 'Reading the timeline…', colour: 'dim' }]]
  if (typeof timeline === 'string') return [[{ text: timeline, colour: 'red' }]]
  const { kind } = mode.subject
  return drawTimeline(
    {
      timeline: timeline.timeline,
      name: kind === 'customer' ? namerOf(timeline.related) : () => '',
      ofInvoice: kind === 'invoice',
      all: false,
    },
    columns,
  )
}
