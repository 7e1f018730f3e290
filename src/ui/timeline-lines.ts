import { drawTimeline, namerOf } from '../timeline/drawing.ts'
import type { Span } from './span.ts'
import type { State } from './state.ts'

/** Writes the timeline of the current mode as lines. */
export function timelineLines({ mode, columns }: Pick<State, 'mode' | 'columns'>): (readonly Span[])[] {
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
