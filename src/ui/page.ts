import { toJson } from '../text/display.ts'
import { drawTimeline, namerOf } from '../timeline/drawing.ts'
import { wrapped } from './fit.ts'
import { bodyRows } from './layout.ts'
import type { Span } from './span.ts'
import type { Mode, State } from './state.ts'

/** The visible part of an open object: its lines, and their place among all lines. */
export type Page = {
  readonly lines: readonly (readonly Span[])[]
  readonly start: number
  readonly all: number
}

type Lines = readonly (readonly Span[])[]

/** The lines of the object that was drawn last: each frame and each key needs them. */
let kept: { readonly of: unknown; readonly columns: number; readonly lines: Lines } | undefined

/** Returns the number of lines of the JSON or the timeline of the current mode. */
export const lineCount = (state: State): number => linesOf(state).length

/** Returns the visible part of the JSON or the timeline of the current mode. */
export function pageOf(state: State): Page {
  const { mode } = state
  if (mode.name !== 'json' && mode.name !== 'timeline') return { lines: [], start: 0, all: 0 }
  const rows = bodyRows(state)
  const lines = linesOf(state)
  const start = Math.min(mode.scroll, Math.max(0, lines.length - rows))
  return { lines: lines.slice(start, start + rows), start, all: lines.length }
}

/** Returns all lines of the JSON or the timeline of the current mode. */
function linesOf({ mode, columns }: State): Lines {
  if (mode.name !== 'json' && mode.name !== 'timeline') return []
  const of = mode.name === 'json' ? mode.item : mode.timeline
  if (kept && kept.of === of && kept.columns === columns) return kept.lines
  const lines = mode.name === 'json' ? jsonLines(mode.item, columns) : timelineLines(mode, columns)
  kept = { of, columns, lines }
  return lines
}

/** Formats an object's JSON in lines of at most `columns` columns; longer lines are wrapped. */
const jsonLines = (object: object, columns: number): Lines =>
  toJson(object, 2)
    .split('\n')
    .flatMap((line) => wrapped(line, columns))
    .map(jsonSpans)

/** Colours the field name of a line of JSON. */
function jsonSpans(line: string): Span[] {
  const [, indent = '', name, rest = ''] = /^(\s*)("(?:[^"\\]|\\.)*"): (.*)$/.exec(line) ?? []
  return name === undefined ? [line] : [indent, { text: name, colour: 'cyan' }, `: ${rest}`]
}

/** Writes a timeline as lines. */
function timelineLines({ timeline, subject }: Extract<Mode, { name: 'timeline' }>, columns: number): Lines {
  if (timeline === undefined) return [[{ text: 'Reading the timeline…', colour: 'dim' }]]
  if (typeof timeline === 'string') return [[{ text: timeline, colour: 'red' }]]
  const { kind } = subject
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
