import type { Event } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { escapeControls } from '../text/display.ts'
import type { Person } from './customers.ts'
import { eventCells, TYPE_WIDTH } from './event-line.ts'
import { padded, widthOfAll } from './fit.ts'
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
  /** Finds the customer of an event. A row without room omits the name. */
  readonly customerOf: (event: Event) => Person | undefined
}

/** The minimum width of a truncated name. */
const MIN_NAME_WIDTH = 4

/**
 * Formats an event as a row of the list. Its details must be visible at 80 columns: so a narrow row omits year and seconds, and
 * the time of day in details. The event's JSON shows them. The customer's name comes last, where the details leave room.
 */
export function eventRow(event: Event, layout: RowLayout): Span[] {
  const row = layout.columns < WIDE ? narrowRow(event, layout) : wideRow(event, layout)
  return [...row, ...customerSpans(event, layout, widthOfAll(row))]
}

function customerSpans(event: Event, { columns, customerOf }: RowLayout, width: number): Span[] {
  const { name, email } = customerOf(event) ?? {}
  const called = name ?? email
  // An event of a customer has this among its details.
  const shown = event.data.object.object === 'customer' ? (email ?? name) : null
  if (!called || called === shown) return []
  const room = columns - width - SEPARATOR.length
  return room >= MIN_NAME_WIDTH ? [SEPARATOR, { text: called, colour: 'bold' }] : []
}

const SEPARATOR = '  '

function narrowRow(event: Event, { columns, merchantName }: RowLayout): Span[] {
  const { type, colour, object, details } = eventCells(event, dayOf)
  const isRoomy = columns >= ROOMY
  return [
    { text: dayAndTime(event.created), colour: 'dim' },
    ' ',
    ...(isRoomy ? merchantSpans(event, merchantName, ' ') : []),
    { text: type.padEnd(isRoomy ? TYPE_WIDTH : SHORT_TYPE_WIDTH), colour },
    ` ${shortId(object)} `,
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
    `  ${shortId(object)}  `,
    details.join('  '),
  ]
}

/** The length of the part of a Checkout session's id that differs from those of other sessions of the merchant. */
const COUNTED_LENGTH = 22

/** Shortens the id of a Checkout session, most of which is random. Other ids are shorter. */
const shortId = (id: string): string =>
  id.length > 2 * COUNTED_LENGTH ? `${id.slice(0, COUNTED_LENGTH)}…` : id

/** Formats an instant without year and seconds: `02-28 10:00`. */
export const dayAndTime = (instant: number): string => {
  const text = formatInstant(instant)
  return `${text.slice(5, 10)} ${text.slice(11, 16)}`
}

/** Formats an instant's day: `2026-02-28`. */
const dayOf = (instant: number): string => formatInstant(instant).slice(0, 10)

const merchantSpans = (
  { merchant_id }: Event,
  merchantName: RowLayout['merchantName'],
  gap: string,
): Span[] => (merchantName ? [padded(escapeControls(merchantName(merchant_id)), MERCHANT_WIDTH), gap] : [])
