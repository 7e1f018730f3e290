import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { Unreachable } from './errors.ts'
import { type Address, unreachable } from './transport.ts'

/**
 * A change in the state of a stream. `reset` means that a restore or a reset replaced the whole state; the items that follow
 * belong to the new state.
 */
export type StreamStatus = 'connected' | 'lost' | 'reconnected' | 'reset'

export type Following = { readonly signal: AbortSignal; readonly onStatus?: (news: StreamStatus) => void }

/** The daemon of a stream. */
export type FollowedDaemon = {
  readonly address: Address
  /** Updates the address, because the daemon may have restarted at another one. */
  updateAddress(): void
}

/** A message of a stream, and its id in the stream. */
export type Received<Message> = { readonly id: string | undefined; readonly message: Message }

/** The daemon sends a heartbeat every 15 s. After this long without one the connection counts as lost. */
const SILENCE_MS = 45_000
const PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2_000

/**
 * Yields the items of a live stream, and reconnects when the connection breaks, until the signal is aborted. The address is
 * updated before each new attempt.
 * @param connect - opens a connection and returns its items
 * @param options.shouldRetry - whether to connect again after an error that would otherwise be thrown
 * @param options.wasReached - whether the daemon has answered before
 * @throws Refused if the daemon refuses the stream
 * @throws Unreachable if the first connection fails, or if a later daemon does not know the token; other failures are retried
 */
export async function* reconnecting<Item>(
  daemon: FollowedDaemon,
  connect: (signal: AbortSignal) => Promise<AsyncIterable<Item>>,
  { signal, onStatus = () => undefined }: Following,
  {
    shouldRetry = () => false,
    wasReached = false,
  }: { shouldRetry?: (error: unknown) => boolean; wasReached?: boolean } = {},
): AsyncGenerator<Item, void, undefined> {
  let isFirst = true
  let isOpen = false
  for (let pause = PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const items = await connect(signal)
      onStatus(isFirst ? 'connected' : 'reconnected')
      isFirst = false
      isOpen = true
      pause = PAUSE_MS
      yield* items
    } catch (error) {
      if (signal.aborted) return
      const isKnown = !isFirst || wasReached
      const isLost = error instanceof Unreachable && !error.isUnproven
      if (!isKnown || !(isLost || shouldRetry(error))) throw error
    }
    if (isOpen) onStatus('lost')
    isOpen = false
    await delay(pause, undefined, { signal }).catch(() => undefined)
    daemon.updateAddress()
  }
}

/**
 * Parses the server-sent events of a connection. Yields the messages whose `object` is one of the given ones.
 * @throws Unreachable if the connection breaks
 */
export async function* messages<Message extends { readonly object: string }>(
  address: Address,
  response: IncomingMessage,
  ...objects: readonly Message['object'][]
): AsyncGenerator<Received<Message>, void, undefined> {
  let arrived: Received<Message>[] = []
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
