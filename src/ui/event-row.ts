import type { Event } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { visible } from '../text/display.ts'
import { eventCells, TYPE_WIDTH } from './event-line.ts'
import type { Entry } from './event-log.ts'
import { padded } from './fit.ts'
import type { Span } from './span.ts'

/** From how many columns on a row has room for types of every length, and for a merchant's name. */
const ROOMY = 100
/** From how many columns on a row has room for whole instants, in its details too: a period has two of them. */
const WIDE = 125
/** Where there is no room for a longer type, it pushes its row to the right. */
const SHORT_TYPE_WIDTH = 22
const MERCHANT_WIDTH = 18

/** How rows are laid out. */
export type RowLayout = {
  readonly columns: number
  /** Shown in each row when several merchants are watched and there is room. */
  readonly merchantName: ((id: string) => string) | null
}

/**
 * An entry as a row of the list. What matters of an event has to be in sight at 80 columns: so a narrow row leaves out
 * year and seconds, and the time of day in its details. The event itself shows them.
 */
export function entryRow(entry: Entry, layout: RowLayout): Span[] {
  if ('note' in entry) return [{ text: `── ${entry.note} ──`, colour: 'dim' }]
  return layout.columns < WIDE ? narrowRow(entry.event, layout) : wideRow(entry.event, layout)
}

function narrowRow(event: Event, { columns, merchantName }: RowLayout): Span[] {
  const { time, type, colour, object, details } = eventCells(event, dayOf)
  const isRoomy = columns >= ROOMY
  const short = time.replace(/^\d+-(\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2')
  return [
    { text: short, colour: 'dim' },
    ' ',
    ...(isRoomy ? merchantSpans(event, merchantName, ' ') : []),
    { text: type.padEnd(isRoomy ? TYPE_WIDTH : SHORT_TYPE_WIDTH), colour },
    ` ${object} `,
    details.join(' '),
  ]
}

function wideRow(event: Event, { merchantName }: RowLayout): Span[] {
  const { time, type, colour, object, details } = eventCells(event)
  return [
    { text: time, colour: 'dim' },
    '  ',
    ...merchantSpans(event, merchantName, '  '),
    { text: type.padEnd(TYPE_WIDTH), colour },
    `  ${object}  `,
    details.join('  '),
  ]
}

/** `2026-02-28`. */
const dayOf = (instant: number): string => formatInstant(instant).slice(0, 10)

const merchantSpans = (
  { merchant_id }: Event,
  merchantName: RowLayout['merchantName'],
  gap: string,
): Span[] => (merchantName ? [padded(visible(merchantName(merchant_id)), MERCHANT_WIDTH), gap] : [])
