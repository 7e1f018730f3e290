/** @jsxImportSource hono/jsx */
import type { Event, List } from '../client/types.ts'
import type { PageContext, Section } from './context.ts'
import { EventRow } from './event-table.tsx'
import { given } from './pager.tsx'

/**
 * The stream that keeps an open page live. The list of events gets rows of new events; other pages are notified that something
 * changed.
 */
export const livePages: Section = (context) =>
  context.method === 'GET' && context.rest.length === 0 ? openStream(context) : undefined

async function openStream({
  api,
  merchant,
  base,
  query,
  lastEventId,
  signal,
}: PageContext): Promise<Response> {
  const params = {
    merchant: merchant.id,
    type: given(query, 'type'),
    starting_after: given(query, 'after'),
  }
  const events = await api.stream('events', params, lastEventId)
  const toMessage = query.has('rows')
    ? (messages: readonly Message[]) => rowsMessage(base, messages)
    : changedMessage
  return new Response(inBatches(events, toMessage, signal), {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
  })
}

/**
 * Returns the url of the stream of changes from now on. Call it before reading the content of a page, so that no change is
 * missed.
 */
export async function liveUrl({ api, merchant, base }: PageContext): Promise<string> {
  const { data } = await api.get<List<Event>>('events', { merchant: merchant.id, limit: 1 })
  return streamUrl(base, { after: data[0]?.id })
}

/** @param filters - parameters of the stream; those without a value are left out */
export const streamUrl = (base: string, filters: Readonly<Record<string, string | undefined>>): string =>
  `${base}/live?${new URLSearchParams(
    Object.entries(filters).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  )}`

/** A server-sent event of the API. */
type Message = { readonly event: string; readonly id: string; readonly data: string }

/**
 * Combines the messages of each chunk that the API sends, at most 50, into one for the browser. After a replacement of the
 * whole state, the browser reads its page again. The stream ends when the browser is signed out.
 */
function inBatches(
  events: ReadableStream<Uint8Array>,
  toMessage: (messages: readonly Message[]) => string,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()]
  const reader = events.getReader()
  // A stream that has failed has ended: its error goes to the browser's stream.
  const end = () => void reader.cancel().catch(() => undefined)
  const leave = () => signal.removeEventListener('abort', end)
  let rest = ''
  return new ReadableStream({
    start: () => {
      signal.addEventListener('abort', end)
      // The browser may have been signed out since the request arrived.
      if (signal.aborted) end()
    },
    pull: async (controller) => {
      const { value, done } = await reader.read().catch((error) => {
        leave()
        throw error
      })
      if (done) {
        leave()
        return controller.close()
      }
      const frames = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = frames.pop() ?? ''
      const messages = frames.filter((frame) => !frame.startsWith(':')).map(parseFrame)
      const isReset = messages.some(({ event }) => event === 'reset')
      const text = isReset ? RESET : messages.length > 0 ? toMessage(messages) : HEARTBEAT
      controller.enqueue(encoder.encode(text))
    },
    cancel: () => {
      leave()
      return reader.cancel()
    },
  })
}

const RESET = 'event: reset\ndata: 1\n\n'
const HEARTBEAT = ': heartbeat\n\n'

function parseFrame(frame: string): Message {
  const fields = Object.fromEntries(
    frame.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  )
  return { event: fields.event ?? '', id: fields.id ?? '', data: fields.data ?? '' }
}

const changedMessage = (messages: readonly Message[]): string =>
  `event: changed\nid: ${messages.at(-1)?.id}\ndata: 1\n\n`

/** Rows of the list of events, newest first. */
function rowsMessage(base: string, messages: readonly Message[]): string {
  const rows = messages
    .toReversed()
    .map(({ data }) => String(<EventRow base={base} event={JSON.parse(data)} />))
  return `event: rows\nid: ${messages.at(-1)?.id}\ndata: ${JSON.stringify(rows)}\n\n`
}
