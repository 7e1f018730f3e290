import type { Prospect, Related, Timeline } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import type { Column, Output } from './output.ts'
import { futureMoments } from './timeline-future.ts'
import type { Moment, Namer } from './timeline-note.ts'
import { pastMoments } from './timeline-past.ts'
import { drawPicture } from './timeline-picture.ts'
import { withRuns } from './timeline-runs.ts'

type Shown = {
  readonly timeline: Timeline
  readonly name: Namer
  readonly ofInvoice?: boolean
  /** Whether to draw each renewal of a run. */
  readonly all: boolean
}

/**
 * Prints a timeline: a picture on a terminal, and otherwise one line for each note. A line has an instant, `happened`, `now`,
 * `due` or `projected`, and the note's text, separated by tabs.
 * See docs/contract/command-line.md#timelines; paytwin: the picture.
 */
export function showTimeline(out: Output, { timeline, name, ofInvoice = false, all }: Shown): void {
  const { now, as_of, happened, upcoming } = timeline
  const [oldest, ...others] = pastMoments(happened.data, { name, ofInvoice })
  // The entries of the oldest instant may be incomplete.
  const past = oldest && !(happened.has_more && others.length > 0) ? [oldest, ...others] : others
  if (out.width === null) {
    listTimeline(out, timeline, past, name)
    return
  }
  const title = as_of === now ? 'now' : `state at this time; now is ${formatInstant(now)}`
  const picture = {
    past: all ? past : withRuns(past),
    border: { at: as_of, title },
    future: futureMoments(upcoming.data, name),
    isCut: happened.has_more,
    goesOn: upcoming.has_more || isRenewed(upcoming.data.at(-1)),
  }
  for (const line of drawPicture(picture, out.width)) out.line(...line)
  if (!upcoming.data.some(({ projected }) => projected)) return
  out.line()
  out.line({ text: LEGEND, colour: 'dim' })
}

const LEGEND = '○ due   ◌ projected if nothing changes'

const isRenewed = (last: Prospect | undefined): boolean => last?.kind === 'renewal'

type ListedNote = { readonly at: number; readonly tense: string; readonly parts: readonly string[] }

const LIST_COLUMNS: readonly Column<ListedNote>[] = [
  { title: 'TIME', cell: ({ at }) => formatInstant(at) },
  { title: 'WHEN', cell: ({ tense }) => tense },
  { title: 'WHAT', cell: ({ parts }) => parts.join('  ') },
]

function listTimeline(
  out: Output,
  { as_of, upcoming }: Timeline,
  past: readonly Moment[],
  name: Namer,
): void {
  const listed = (moments: readonly Moment[], tense: string): ListedNote[] =>
    moments.flatMap(({ at, notes }) => notes.map(({ parts }) => ({ at, tense, parts })))
  const future = upcoming.data.flatMap((prospect) =>
    listed(futureMoments([prospect], name), prospect.projected ? 'projected' : 'due'),
  )
  const now = { at: as_of, tense: 'now', parts: [] }
  out.table(LIST_COLUMNS, [...listed(past, 'happened'), now, ...future], '')
}

/** Numbers subscriptions in order of creation, if there are several. */
export function namerOf({ subscriptions }: Related): Namer {
  const numbers = new Map(subscriptions.data.toReversed().map(({ id }, index) => [id, index + 1]))
  return (id) => (numbers.size < 2 || id === null || !numbers.has(id) ? '' : `#${numbers.get(id)} `)
}
