import { constants } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../client/client.ts'
import { Refused } from '../client/errors.ts'
import type { Clock, List } from '../client/types.ts'
import type { Invocation } from './command.ts'
import { ExitWith } from './failure.ts'

const RETRY_MS = 50

/**
 * Waits for an advance and prints its result. Ctrl-C or SIGTERM cancels only this advance, also while it waits for another one,
 * and prints its result so far. If the command is killed otherwise, the advance continues in the daemon.
 * @param advanceId - the id that the advance was requested with
 * @param print - prints the result of the advance
 * @throws ExitWith the signal's status, after the result was printed, when a signal canceled the advance
 * paytwin: interrupting a command also stops the work that it started.
 */
export async function cancelable<ResponseBody extends List<Clock>>(
  { client, out }: Invocation,
  advanceId: string,
  work: Promise<ResponseBody>,
  print: (response: ResponseBody) => void,
): Promise<void> {
  let received: NodeJS.Signals | undefined
  const ended = new AbortController()
  const cancel = (signal: NodeJS.Signals) => {
    received = signal
    // If this fails, the advance itself reports the reason.
    cancelArrived(client, advanceId, ended.signal).catch(() => undefined)
  }
  process.once('SIGINT', cancel).once('SIGTERM', cancel)
  let response: ResponseBody
  try {
    response = await work
  } finally {
    ended.abort()
    process.off('SIGINT', cancel).off('SIGTERM', cancel)
  }
  print(response)
  if (received === undefined) return
  const isMoving = response.data.some(({ status }) => status === 'advancing')
  out.note(
    isMoving
      ? 'Canceled before it began: another advance moves the clock.'
      : 'Canceled: the clock stays at the time it has reached.',
  )
  throw new ExitWith(128 + constants.signals[received])
}

/** Cancels an advance. Its request may arrive after the cancellation, which is then repeated. */
async function cancelArrived(client: Client, advanceId: string, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      await client.cancelAdvance(advanceId)
      return
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'resource_missing')) throw error
    }
    await delay(RETRY_MS, undefined, { signal: ended })
  }
}

/** SIGHUP means that the terminal is gone. SIGQUIT would otherwise end the process before the screen is restored. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/** npm forwards a terminal's signal to its child, which has already received it: a second one within this time is ignored. */
const DUPLICATE_MS = 1_000

/**
 * Runs endless work until a signal of SIGNALS, such as Ctrl-C, aborts it. One more than a second later exits without cleanup.
 * The handlers stay until the end: without one, a dependency of Ink kills the process before the screen is restored.
 */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ended = new AbortController()
  let endedAt = Number.POSITIVE_INFINITY
  const end = (signal: NodeJS.Signals) => {
    if (performance.now() > endedAt + DUPLICATE_MS) process.exit(128 + constants.signals[signal])
    endedAt = Math.min(endedAt, performance.now())
    ended.abort()
  }
  for (const signal of SIGNALS) process.on(signal, end)
  try {
    await work(ended.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, end)
  }
}
