import type { LoggedRequest } from '../client/types.ts'
import { escapeControls } from '../text/display.ts'
import { cut, widthOf } from './fit.ts'
import type { Colour, Span } from './span.ts'

const METHOD_WIDTH = 6
/** The width of the path. Longer paths push the notes to the right. */
const PATH_WIDTH = 36
/** The minimum width of a truncated path. */
const MIN_PATH_WIDTH = 16
const WIDE = 100

/** Formats a request as a row: wall-clock time, status, method, path, and its error, ignored parameters or replay. */
export function requestRow(request: LoggedRequest, columns: number): Span[] {
  const { time, method, status } = request
  const path = escapeControls(request.path)
  const isWide = columns >= WIDE
  const instant = new Date(time).toISOString()
  const start = `${isWide ? instant.slice(0, 19) : instant.slice(11, 19)} `
  const notes = escapeControls(notesText(request))
  const used = widthOf(start) + 4 + METHOD_WIDTH + 1
  const room = Math.max(MIN_PATH_WIDTH, columns - used - (notes === '' ? 0 : widthOf(notes) + 2))
  const shown = widthOf(path) > room ? `${cut(path, room - 1)}…` : path
  const colour = colourOf(status)
  return [
    { text: start, colour: 'dim' },
    { text: String(status), colour },
    ` ${method.padEnd(METHOD_WIDTH)} `,
    notes === '' ? shown : `${shown.padEnd(Math.min(room, PATH_WIDTH))}  `,
    { text: notes, colour: status < 400 ? 'yellow' : colour },
  ]
}

/** Lists notes about a request, in addition to its status: its error code, ignored parameters, a replay. */
export const notesText = (request: LoggedRequest): string =>
  [request.code ?? '', ignoredText(request), request.replayed ? 'replayed' : ''].filter(Boolean).join(', ')

/** Lists the parameters that the daemon ignored. */
const ignoredText = ({ ignored_params }: LoggedRequest): string =>
  ignored_params.length > 0 ? `ignored ${ignored_params.join(' ')}` : ''

/** Colours a status by its class: client errors are yellow, server errors red. */
function colourOf(status: number): Colour {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}
