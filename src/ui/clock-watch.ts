import type { Client } from '../client/client.ts'
import { Refused, Unreachable } from '../client/errors.ts'
import type { Clock } from '../client/types.ts'
import type { Timing } from './frame-loop.ts'
import { Poller } from './poller.ts'

/** The interval while no events arrive, and so the maximum delay before a clock that moves without an event is shown. */
const IDLE_MS = 2_000
/** The interval during an advance, so that its progress is visible. */
const ADVANCING_MS = 200

/** Polls the clocks until the signal aborts. */
export function watchClocks(
  client: Pick<Client, 'clocks'>,
  merchant: string | undefined,
  {
    signal,
    onClocks,
    failed,
    timing,
  }: {
    readonly signal: AbortSignal
    readonly onClocks: (clocks: readonly Clock[]) => void
    /** An internal error. */
    readonly failed: (error: unknown) => void
    readonly timing?: Timing
  },
): Pick<Poller<unknown>, 'poll' | 'pollSoon'> {
  const poller = new Poller({
    read: () => readClocks(client, merchant),
    receive: (clocks) => {
      if (clocks) onClocks(clocks)
      return clocks?.some(({ status }) => status === 'advancing') ? ADVANCING_MS : IDLE_MS
    },
    signal,
    failed,
    ...(timing && { timing }),
  })
  poller.poll()
  return poller
}

/** Reads the clocks: none if the merchant was deleted, undefined if the daemon does not answer (the stream reports that). */
async function readClocks(
  client: Pick<Client, 'clocks'>,
  merchant: string | undefined,
): Promise<readonly Clock[] | undefined> {
  try {
    return (await client.clocks({ merchant })).data
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error
    return error instanceof Refused && error.code === 'resource_missing' ? [] : undefined
  }
}
