import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { Unreachable } from './errors.ts'
import { type Address, unreachable } from './transport.ts'

/**
 * What happens to a stream: to its connection or, with `reset`, to all that it has told: it gave way to another state, by a
 * restore or a reset, and what follows happens in that.
 */
export type StreamNews = 'connected' | 'lost' | 'reconnected' | 'reset'

export type Following = { readonly signal: AbortSignal; readonly onNews?: (news: StreamNews) => void }

/** Something that came over a connection, and the id under which the stream told it. */
export type Told<Message> = { readonly id: string | undefined; readonly message: Message }

/** The daemon sends a heartbeat every 15 s: one that is silent for this long is gone. */
const SILENCE_MS = 45_000
const PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

/**
 * What a live stream tells, over as many connections as it takes, until the signal ends it.
 * @param connect - makes a connection, and gives what comes over it
 * @param options.isPassing - whether a refusal will pass, so that connecting is tried again
 * @param options.wasThere - whether the daemon is known to have answered before
 * @throws Refused, when the daemon refuses the stream
 * @throws Unreachable, when no daemon answers at first, or later one that does not know the token; other attempts are repeated
 */
export async function* reconnecting<Item>(
  connect: (signal: AbortSignal) => Promise<AsyncIterable<Item>>,
  { signal, onNews = () => undefined }: Following,
  {
    isPassing = () => false,
    wasThere = false,
  }: { isPassing?: (error: unknown) => boolean; wasThere?: boolean } = {},
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
      const isKnown = !isFirst || wasThere
      const isGone = error instanceof Unreachable && !error.isUnproven
      if (!isKnown || !(isGone || isPassing(error))) throw error
    }
    if (isOpen) onNews('lost')
    isOpen = false
    await delay(pause, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * The objects of some kinds that come over a connection, each with the id under which the stream told it.
 * @throws Unreachable when it breaks
 */
export async function* messages<Message extends { readonly object: string }>(
  address: Address,
  response: IncomingMessage,
  ...objects: readonly Message['object'][]
): AsyncGenerator<Told<Message>, void, undefined> {
  let arrived: Told<Message>[] = []
  const parser = createParser({
    onEvent: ({ data, id }) => {
      const message: Message = JSON.parse(data)
      if (objects.includes(message.object)) arrived.push({ id: id || undefined, message })
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
