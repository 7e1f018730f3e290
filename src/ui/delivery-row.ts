import { formatInstant } from '../core/calendar.ts'
import { escapeControls } from '../text/display.ts'
import { type Delivery, responseText } from './delivery.ts'
import { dayAndTime } from './event-row.ts'
import { cut, padded, widthOf } from './fit.ts'
import type { Colour, Span } from './span.ts'

/** The width from which a row has room for complete instants and URLs. */
const WIDE = 125
/** The width from which a row has room for the day of the delivery, and for an endpoint. */
const ROOMY = 66
const TYPE_WIDTH = { narrow: 22, wide: 29 }
/** The width of `ECONNREFUSED`, and of the same with an address. */
const RESPONSE_WIDTH = { narrow: 12, wide: 36 }
/** The width of `next 03-01 10:00`, and of the same with a complete instant. */
const NEXT_WIDTH = { narrow: 16, wide: 25 }

const COLOURS: Readonly<Record<Delivery['status'], Colour>> = {
  pending: 'yellow',
  succeeded: 'green',
  failed: 'red',
  discarded: 'dim',
}

/**
 * Formats a delivery as a row: its time on the merchant's clock, event type, response, next attempt and endpoint. The endpoint
 * comes last, because narrow rows have no room for complete URLs. They name an error by its code.
 */
export function deliveryRow(delivery: Delivery, columns: number): Span[] {
  const isWide = columns >= WIDE
  const size = isWide ? 'wide' : 'narrow'
  const { created, event_type, status, endpoint_url: url } = delivery
  const instant = isWide ? formatInstant : dayAndTime
  const isRoomy = columns >= ROOMY
  const time = isRoomy ? instant(created) : dayAndTime(created).slice(6)
  const response = responseText(delivery)
  return [
    { text: `${time} `, colour: 'dim' },
    cell(event_type, TYPE_WIDTH[size]),
    ' ',
    { text: cell(isWide ? response : codeOf(response), RESPONSE_WIDTH[size]), colour: COLOURS[status] },
    ' ',
    { text: padded(nextText(delivery, instant), NEXT_WIDTH[size]), colour: 'dim' },
    ...(isRoomy ? [` ${isWide ? url : url.replace(/^https?:\/\//, '')}`] : []),
  ]
}

/** Shortens `connect ECONNREFUSED 127.0.0.1:3000` to `ECONNREFUSED`. */
const codeOf = (response: string): string => /\bE[A-Z_]{3,}\b/.exec(response)?.[0] ?? response

/** Pads a text, or truncates it with an ellipsis. */
function cell(text: string, width: number): string {
  const shown = escapeControls(text)
  return padded(widthOf(shown) > width ? `${cut(shown, width - 1)}…` : shown, width)
}

/** Describes the next attempt, or that there is none. */
function nextText({ status, next_attempt }: Delivery, instant: (at: number) => string): string {
  if (next_attempt !== null) return `next ${instant(next_attempt)}`
  return status === 'failed' ? 'no more attempts' : status === 'discarded' ? 'discarded' : ''
}
