import { bodyRows } from './layout.ts'
import { jsonLines, jsonSpans } from './object-json.ts'
import type { Span } from './span.ts'
import type { State } from './state.ts'
import { timelineLines } from './timeline-lines.ts'

/** The visible part of an open object: its lines, and their place among all lines. */
export type Page = {
  readonly lines: readonly (readonly Span[])[]
  readonly start: number
  readonly all: number
}

/** Returns how many lines the JSON or the timeline of the current mode has. */
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
