import type { LoggedRequest } from '../../client/types.ts'
import type { Colour, Column, Span } from './output.ts'

/** Most paths are shorter; a longer one pushes the rest of its line to the right. */
const PATH_WIDTH = 36
const METHOD_WIDTH = 6
const MS_WIDTH = 9

/** The columns of a request. */
export const REQUEST_COLUMNS: readonly Column<LoggedRequest>[] = [
  { title: 'TIME', cell: ({ time }) => wallTime(time) },
  { title: 'METHOD', cell: ({ method }) => method },
  { title: 'PATH', cell: ({ path }) => path, minWidth: 20 },
  { title: 'STATUS', cell: (request) => statusOf(request) },
  { title: 'MS', cell: ({ duration_ms }) => duration_ms.toFixed(1), omit: 2 },
  { title: 'REQUEST', cell: ({ id }) => id, omit: 3 },
  { title: 'KEY', cell: ({ key }) => key ?? '–', omit: 1 },
  { title: 'MERCHANT', cell: ({ merchant_id }) => merchant_id ?? '–', omit: 4 },
  { title: 'NOTE', cell: (request) => notesOf(request) || '–', minWidth: 12 },
]

/** Returns the columns of a table on a terminal: the merchant only if there are several. */
export function columnsFor(requests: readonly LoggedRequest[]): readonly Column<LoggedRequest>[] {
  const merchants = new Set(requests.flatMap(({ merchant_id }) => merchant_id ?? []))
  return REQUEST_COLUMNS.filter(({ title }) => title !== 'MERCHANT' || merchants.size > 1)
}

/**
 * Formats a request in one line: time, status, method, path, duration, ID, key and notes.
 * See docs/contract/operator.md#request-log.
 */
export function requestLine(request: LoggedRequest): Span[] {
  const { time, method, path, duration_ms, id, key, status, ignored_params: ignored } = request
  const notes = notesOf(request)
  return [
    { text: wallTime(time), colour: 'dim' },
    '  ',
    statusOf(request),
    `  ${method.padEnd(METHOD_WIDTH)}  ${path.padEnd(PATH_WIDTH)}  `,
    { text: `${duration_ms.toFixed(1)} ms`.padStart(MS_WIDTH), colour: 'dim' },
    `  ${id}  ${key ?? 'no key'}`,
    ...(notes === ''
      ? []
      : ['  ', { text: notes, colour: ignored.length > 0 && status < 400 ? 'yellow' : colourOf(status) }]),
  ]
}

const notesOf = ({ code, replayed, ignored_params: ignored }: LoggedRequest): string =>
  [
    ...(code === null ? [] : [code]),
    ...(replayed ? ['replayed'] : []),
    ...(ignored.length === 0 ? [] : [`ignored ${ignored.join(' ')}`]),
  ].join(', ')

const statusOf = ({ status }: LoggedRequest): Span => ({ text: String(status), colour: colourOf(status) })

/** Colours a status by its class: client errors are yellow, server errors red. */
function colourOf(status: number): Colour {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

/** Formats Unix milliseconds as ISO 8601 in UTC. */
const wallTime = (milliseconds: number): string => new Date(milliseconds).toISOString()
