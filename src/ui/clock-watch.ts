import type { Client } from '../client/client.ts'
import { Refused } from '../client/errors.ts'
import type { Clock } from '../client/types.ts'
import { realTiming, type Timing } from './frame-loop.ts'

/** The interval while no events arrive. A clock that moves without an event is shown this late at most. */
export const IDLE_MS = 2_000
/** The interval while events arrive, which mostly come with a moving clock. */
const BUSY_MS = 1_000
/** The interval during an advance, so that its progress is visible. */
const ADVANCING_MS = 200

/** Polls the clocks. */
export type ClockWatch = {
  /** Reads them at once, for example after a change. */
  readonly poll: () => void
  /** Reads them within a second, because events have arrived. */
  readonly pollSoon: () => void
}

/** Polls the clocks until the signal aborts. */
export function watchClocks(
  client: Pick<Client, 'clocks'>,
  merchant: string | undefined,
  {
    signal,
    onClocks,
    timing = realTiming,
  }: {
    readonly signal: AbortSignal
    readonly onClocks: (clocks: readonly Clock[]) => void
    readonly timing?: Timing
  },
): ClockWatch {
  let polledAt = Number.NEGATIVE_INFINITY
  let nextAt = Number.POSITIVE_INFINITY
  let isPolling = false
  let callOff: () => void = () => undefined
  const pollAt = (at: number) => {
    callOff()
    nextAt = at
    callOff = timing.later(() => void poll(), Math.max(0, Math.ceil(at - timing.now())))
  }
  const poll = async () => {
    if (isPolling || signal.aborted) return
    isPolling = true
    callOff()
    const clocks = await readClocks(client, merchant)
    isPolling = false
    if (signal.aborted) return
    polledAt = timing.now()
    if (clocks) onClocks(clocks)
    const isMoving = clocks?.some(({ status }) => status === 'advancing')
    pollAt(polledAt + (isMoving ? ADVANCING_MS : IDLE_MS))
  }
  const pollSoon = () => {
    if (!isPolling && !signal.aborted && nextAt > polledAt + BUSY_MS) pollAt(polledAt + BUSY_MS)
  }
  signal.addEventListener('abort', () => callOff(), { once: true })
  void poll()
  return { poll: () => void poll(), pollSoon }
}

/** Reads the clocks: none if the merchant was deleted, undefined if the daemon does not answer (the stream reports that). */
async function readClocks(
  client: Pick<Client, 'clocks'>,
  merchant: string | undefined,
): Promise<readonly Clock[] | undefined> {
  try {
    return (await client.clocks({ merchant })).data
  } catch (error) {
    return error instanceof Refused && error.code === 'resource_missing' ? [] : undefined
  }
}
