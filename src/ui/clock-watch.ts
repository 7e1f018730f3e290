import type { Client } from '../client/client.ts'
import { Refused } from '../client/errors.ts'
import type { Clock } from '../client/types.ts'
import { realTiming, type Timing } from './frame-loop.ts'

/** While nothing happens: only a clock that others move without any event is seen this late. */
export const IDLE_MS = 2_000
/** While events arrive: they mostly come with a clock that moves. */
const BUSY_MS = 1_000
/** While an advance is under way, so that its progress is seen. */
const ADVANCING_MS = 200

/** Reads the clocks again and again. */
export type ClockWatch = {
  /** Reads them now, such as after a change. */
  readonly look: () => void
  /** Reads them soon, for events have arrived; however many do, once a second. */
  readonly lookSoon: () => void
}

/** Watches the clocks until the signal ends it. */
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
  let lookedAt = Number.NEGATIVE_INFINITY
  let nextAt = Number.POSITIVE_INFINITY
  let isLooking = false
  let callOff: () => void = () => undefined
  const lookAt = (at: number) => {
    callOff()
    nextAt = at
    callOff = timing.later(() => void look(), Math.max(0, Math.ceil(at - timing.now())))
  }
  const look = async () => {
    if (isLooking || signal.aborted) return
    isLooking = true
    callOff()
    const clocks = await readClocks(client, merchant)
    isLooking = false
    if (signal.aborted) return
    lookedAt = timing.now()
    if (clocks) onClocks(clocks)
    const isMoving = clocks?.some(({ status }) => status === 'advancing')
    lookAt(lookedAt + (isMoving ? ADVANCING_MS : IDLE_MS))
  }
  const lookSoon = () => {
    if (!isLooking && !signal.aborted && nextAt > lookedAt + BUSY_MS) lookAt(lookedAt + BUSY_MS)
  }
  signal.addEventListener('abort', () => callOff(), { once: true })
  void look()
  return { look: () => void look(), lookSoon }
}

/** None where the merchant is gone; undefined when the daemon is away: the connection tells that. */
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
