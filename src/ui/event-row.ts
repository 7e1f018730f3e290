import type { Event } from '../client/types.ts'
import { visible } from '../core/text.ts'
import { eventCells } from './event-line.ts'
import type { Entry } from './event-log.ts'
import { padded } from './fit.ts'
import type { Span } from './span.ts'

/** From how many columns on a row has room for whole instants. */
const WIDE = 100
const TYPE_WIDTH = { narrow: 22, wide: 24 }
const MERCHANT_WIDTH = 18

/** How rows are laid out. */
export type RowLayout = {
  readonly columns: number
  /** Shown in each row when several merchants are watched and there is room. */
  readonly merchantName: ((id: string) => string) | null
}

/**
 * An entry as a row of the list. What matters of an event has to be in sight at 80 columns: so a narrow row leaves out
 * year and seconds, which the event itself shows.
 */
export function entryRow(entry: Entry, layout: RowLayout): Span[] {
  if ('note' in entry) return [{ text: `── ${entry.note} ──`, colour: 'dim' }]
  return layout.columns < WIDE ? narrowRow(entry.event) : wideRow(entry.event, layout)
}

function narrowRow(event: Event): Span[] {
  const { time, type, colour, object, details } = eventCells(event)
  const short = time.replace(/^\d+-(\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2')
  return [
    { text: short, colour: 'dim' },
    ' ',
    { text: type.padEnd(TYPE_WIDTH.narrow), colour },
    ` ${object} `,
    details.join(' '),
  ]
}

function wideRow(event: Event, { merchantName }: RowLayout): Span[] {
  const { time, type, colour, object, details } = eventCells(event)
  return [
    { text: time, colour: 'dim' },
    '  ',
    ...(merchantName ? [padded(visible(merchantName(event.merchant_id)), MERCHANT_WIDTH), '  '] : []),
    { text: type.padEnd(TYPE_WIDTH.wide), colour },
    `  ${object}  `,
    details.join('  '),
  ]
}
