import type { Event } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { escapeControls } from '../text/display.ts'
import { eventCells, TYPE_WIDTH } from './event-line.ts'
import type { Entry } from './event-log.ts'
import { padded } from './fit.ts'
import type { Span } from './span.ts'

/** The width from which a row has room for the longest types and a merchant's name. */
const ROOMY = 100
/** The width from which a row has room for complete instants, also in its details: a period has two. */
const WIDE = 125
/** The width of the type in a narrow row. A longer type pushes the rest to the right. */
const SHORT_TYPE_WIDTH = 22
const MERCHANT_WIDTH = 18

/** The layout of rows. */
export type RowLayout = {
  readonly columns: number
  /** Names a merchant, if several are shown. A row without room omits the name. */
  readonly merchantName: ((id: string) => string) | null
}

/**
 * Formats an entry as a row of the list. An event's details must be visible at 80 columns: so a narrow row omits year and
 * seconds, and the time of day in details. The event's JSON shows them.
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

/** Formats an instant's day: `2026-02-28`. */
const dayOf = (instant: number): string => formatInstant(instant).slice(0, 10)

const merchantSpans = (
  { merchant_id }: Event,
  merchantName: RowLayout['merchantName'],
  gap: string,
): Span[] => (merchantName ? [padded(escapeControls(merchantName(merchant_id)), MERCHANT_WIDTH), gap] : [])
