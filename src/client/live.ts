import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { Unreachable } from './errors.ts'
import { type Address, unreachable } from './transport.ts'

/** What happens to a stream's connection. */
export type StreamNews = 'connected' | 'lost' | 'reconnected'

export type Following = { readonly signal: AbortSignal; readonly onNews?: (news: StreamNews) => void }

/** The daemon sends a heartbeat every 15 s: one that is silent for this long is gone. */
const SILENCE_MS = 45_000
const PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

/**
 * What a live stream tells, over as many connections as it takes, until the signal ends it.
 * @param connect - makes a connection, and gives what comes over it
 * @throws Refused, when the daemon refuses the stream
 * @throws Unreachable, when no daemon answers at first; later attempts are repeated
 */
export async function* reconnecting<Item>(
  connect: (signal: AbortSignal) => Promise<AsyncIterable<Item>>,
  { signal, onNews = () => undefined }: Following,
): AsyncGenerator<Item, void, undefined> {
  let isFirst = true
  let isOpen = false
  for (let pause = PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const items = await connect(signal)
      onNews(isFirst ? 'connected' : 'reconnected')
      isFirst = false
      isOpen = true
      pause = PAUSE_MS
      yield* items
    } catch (error) {
      if (signal.aborted) return
      if (isFirst || !(error instanceof Unreachable)) throw error
    }
    if (isOpen) onNews('lost')
    isOpen = false
    await delay(pause, undefined, { signal }).catch(() => undefined)
  }
}

/** The objects of one kind that come over a connection. @throws Unreachable when it breaks */
export async function* messages<Message extends { readonly object: string }>(
  address: Address,
  response: IncomingMessage,
  object: Message['object'],
): AsyncGenerator<Message, void, undefined> {
  let arrived: Message[] = []
  const parser = createParser({
    onEvent: ({ data }) => {
      const message: Message = JSON.parse(data)
      if (message.object === object) arrived.push(message)
    },
  })
  const decoder = new TextDecoder()
  response.setTimeout(SILENCE_MS, () => response.destroy(new Error('no heartbeat')))
  try {
    for await (const chunk of response) {
      parser.feed(decoder.decode(chunk, { stream: true }))
      const complete = arrived
      arrived = []
      yield* complete
    }
  } catch (error) {
    throw unreachable(address.url, error)
  }
}
