import type { Timeline } from '../../client/types.ts'
import { formatInstant } from '../../core/calendar.ts'
import { completeMoments, type Drawn, drawTimeline } from '../../timeline/drawing.ts'
import { futureMoments } from '../../timeline/future.ts'
import type { Moment, Namer } from '../../timeline/note.ts'
import type { Column, Output } from '../show/output.ts'

/**
 * Prints a timeline: a picture on a terminal, and otherwise one line for each note. A line has an instant, `happened`, `now`,
 * `due` or `projected`, and the note's text, separated by tabs.
 * See docs/contract/command-line.md#timelines; paytwin: the picture.
 */
export function showTimeline(out: Output, drawn: Drawn): void {
  const { width } = out
  if (width === null) listTimeline(out, drawn.timeline, completeMoments(drawn), drawn.name)
  else for (const line of drawTimeline(drawn, width)) out.line(...line)
}

type ListedNote = { readonly at: number; readonly tense: string; readonly parts: readonly string[] }

const LIST_COLUMNS: readonly Column<ListedNote>[] = [
  { title: 'TIME', cell: ({ at }) => formatInstant(at) },
  { title: 'WHEN', cell: ({ tense }) => tense },
  { title: 'WHAT', cell: ({ parts }) => parts.join('  ') },
]

function listTimeline(
  out: Output,
  { as_of, upcoming, max_attempts }: Timeline,
  past: readonly Moment[],
  name: Namer,
): void {
  const listed = (moments: readonly Moment[], tense: string): ListedNote[] =>
    moments.flatMap(({ at, notes }) => notes.map(({ parts }) => ({ at, tense, parts })))
  const future = upcoming.data.flatMap((job) =>
    listed(futureMoments([job], name, max_attempts), job.projected ? 'projected' : 'due'),
  )
  const now = { at: as_of, tense: 'now', parts: [] }
  out.table(LIST_COLUMNS, [...listed(past, 'happened'), now, ...future], '')
}
