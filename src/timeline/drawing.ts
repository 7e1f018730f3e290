import { formatInstant } from '../core/calendar.ts'
import type {
  RelatedShape as Related,
  TimelineShape as Timeline,
  TimelineJobShape as TimelineJob,
} from '../http/schemas/timeline.ts'
import type { Span } from '../text/span.ts'
import { futureMoments } from './future.ts'
import type { Moment, Namer } from './note.ts'
import { pastMoments } from './past.ts'
import { drawPicture } from './picture.ts'
import { withRuns } from './runs.ts'

/** A timeline to draw. */
export type Drawn = {
  readonly timeline: Timeline
  readonly name: Namer
  readonly ofInvoice?: boolean | undefined
  /** Whether to draw each renewal of a run. */
  readonly all: boolean
}

/**
 * Draws a timeline as lines of spans: past events, the present, and due jobs.
 * @param width - the maximum number of columns
 * See docs/contract/command-line.md#timelines.
 */
export function drawTimeline(drawn: Drawn, width: number): (readonly Span[])[] {
  const { timeline, name, all } = drawn
  const { now, as_of, happened, upcoming } = timeline
  const past = completeMoments(drawn)
  const title = as_of === now ? 'now' : `state at this time; now is ${formatInstant(now)}`
  const picture = {
    past: all ? past : withRuns(past),
    border: { at: as_of, title },
    future: futureMoments(upcoming.data, name, timeline.max_attempts),
    isCut: happened.has_more,
    goesOn: upcoming.has_more || isRenewed(upcoming.data.at(-1)),
  }
  const hasProjections = upcoming.data.some(({ projected }) => projected)
  return [...drawPicture(picture, width), ...(hasProjections ? [[], [LEGEND]] : [])]
}

const LEGEND: Span = { text: '○ due   ◌ projected if nothing changes', colour: 'dim' }

const isRenewed = (last: TimelineJob | undefined): boolean => last?.kind === 'renewal'

/** Returns the past moments. If the timeline is truncated, the oldest moment may be incomplete and is left out. */
export function completeMoments({
  timeline,
  name,
  ofInvoice = false,
}: Omit<Drawn, 'all'>): readonly Moment[] {
  const { data, has_more } = timeline.happened
  const [oldest, ...others] = pastMoments(data, { name, ofInvoice, maxAttempts: timeline.max_attempts })
  return oldest && !(has_more && others.length > 0) ? [oldest, ...others] : others
}

/** Numbers subscriptions in order of creation, if there are several. */
export function namerOf({ subscriptions }: Related): Namer {
  const numbers = new Map(subscriptions.data.toReversed().map(({ id }, index) => [id, index + 1]))
  return (id) => (numbers.size < 2 || id === null || !numbers.has(id) ? '' : `#${numbers.get(id)} `)
}
