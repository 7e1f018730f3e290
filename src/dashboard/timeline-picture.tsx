/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { Timeline } from '../client/types.ts'
import { Time, withInstants } from '../http/html/time.tsx'
import { completeMoments } from '../timeline/drawing.ts'
import { futureMoments } from '../timeline/future.ts'
import type { Mark, Moment, Namer } from '../timeline/note.ts'

/** The style of the axis from one entry to the next. */
type Line = 'past' | 'overdue' | 'future' | 'end'

/** An entry of the picture: the notes of one instant, or the present. */
export type Entry = {
  readonly at: number
  readonly tense: 'past' | 'now' | 'future'
  readonly notes: readonly { readonly mark: Mark; readonly parts: readonly string[] }[]
  /** The axis below the entry. */
  readonly line: Line
}

type Drawn = { readonly timeline: Timeline; readonly name: Namer; readonly ofInvoice?: boolean }

/** Computes the entries of a timeline: past events, the present, due jobs and projected jobs. */
export function entriesOf({ timeline, name, ofInvoice = false }: Drawn): Entry[] {
  const past = completeMoments({ timeline, name, ofInvoice }).filter(hasNotes)
  const future = futureMoments(timeline.upcoming.data, name, timeline.max_attempts).filter(hasNotes)
  const isOverdue = past.at(-1)?.isTroubled ?? false
  return [
    ...past.map(
      ({ at, notes, isTroubled }): Entry => ({
        at,
        tense: 'past',
        notes,
        line: isTroubled ? 'overdue' : 'past',
      }),
    ),
    {
      at: timeline.as_of,
      tense: 'now',
      notes: [],
      line: future.length === 0 ? 'end' : isOverdue ? 'overdue' : 'future',
    },
    ...future.map(
      ({ at, notes }, index): Entry => ({
        at,
        tense: 'future',
        notes,
        line: index + 1 === future.length ? 'end' : 'future',
      }),
    ),
  ]
}

const hasNotes = ({ notes }: Moment): boolean => notes.length > 0

/** The shape of each mark, and its accessible name. */
const SIGNS: Readonly<Record<Mark, { readonly look: string; readonly name: string }>> = {
  '●': { look: 'event', name: '' },
  '✓': { look: 'good', name: 'succeeded' },
  '✗': { look: 'bad', name: 'failed' },
  '▲': { look: 'good', name: 'improved' },
  '▼': { look: 'bad', name: 'worse' },
  '■': { look: 'final', name: 'ended' },
  '○': { look: 'due', name: 'due' },
  '◌': { look: 'projected', name: 'projected' },
}

/** The marks, the least important first. An instant is drawn with its most important one. */
const ORDER: readonly Mark[] = ['●', '◌', '○', '▲', '✓', '✗', '▼', '■']

/** Returns the mark of an instant. */
const markOf = ({ notes }: Pick<Entry, 'notes'>): Mark =>
  notes.map(({ mark }) => mark).toSorted((left, right) => ORDER.indexOf(right) - ORDER.indexOf(left))[0] ??
  '●'

/** Draws a timeline from top to bottom: an axis of dates, and the notes beside it. */
export const TimelinePicture = ({
  entries,
  earlier,
  isPast,
}: {
  entries: readonly Entry[]
  /** The text in place of earlier events that are not shown. */
  earlier: Child
  isPast: boolean
}) => (
  <>
    {earlier ? <p class="empty">{earlier}</p> : null}
    <ol class="timeline">
      {entries.map((entry) => (
        <li class={`entry ${entry.tense}`} aria-current={entry.tense === 'now' ? 'time' : undefined}>
          <Axis entry={entry} />
          <Time at={entry.at} />
          <div class="notes">
            {entry.tense === 'now' ? (
              <strong>{isPast ? 'The chosen time' : 'Now'}</strong>
            ) : (
              entry.notes.map(({ mark, parts }) => (
                <p>
                  {SIGNS[mark].name === '' ? null : <span class="hidden">{SIGNS[mark].name}: </span>}
                  <span class={SIGNS[mark].look}>{withInstants(parts[0] ?? '')}</span>{' '}
                  {parts.slice(1).map((part) => (
                    <span class="part">{withInstants(part)} </span>
                  ))}
                </p>
              ))
            )}
          </div>
        </li>
      ))}
    </ol>
    {entries.at(-1)?.tense === 'future' ? <Legend /> : null}
  </>
)

/** The meaning of the marks for future jobs. */
const Legend = () => (
  <p class="legend">
    {(['due', 'projected'] as const).map((look) => (
      <span>
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <Sign look={look} />
        </svg>
        {look === 'due' ? 'due' : 'projected, if nothing changes'}
      </span>
    ))}
  </p>
)

/** Draws the axis beside an entry: its mark, and the line to the next one, which fills the height. */
const Axis = ({ entry }: { entry: Entry }) => (
  <span class="axis">
    <svg class="sign" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      {entry.tense === 'now' ? (
        <rect class="now" x="1" y="6" width="14" height="4" />
      ) : (
        <Sign look={SIGNS[markOf(entry)].look} />
      )}
    </svg>
    {entry.line === 'end' ? null : (
      <svg class="line" viewBox="0 0 16 100" preserveAspectRatio="none" aria-hidden="true">
        <line class={entry.line} x1="8" y1="0" x2="8" y2="100" />
      </svg>
    )}
  </span>
)

function Sign({ look }: { look: string }) {
  if (look === 'final') return <rect class={look} x="3" y="3" width="10" height="10" />
  if (look === 'bad') return <path class={look} d="M3 3 L13 13 M13 3 L3 13" />
  return <circle class={look} cx="8" cy="8" r="5" />
}
