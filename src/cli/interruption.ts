import { constants } from 'node:os'
import type { ClockScope } from '../client/types.ts'
import type { Invocation } from './command.ts'
import { ExitWith } from './failure.ts'

/**
 * Waits for an advance and prints its result. Ctrl-C or SIGTERM cancels the advance; what it did until then is printed. If
 * the command dies otherwise, the advance continues in the daemon.
 * @param print - prints the result of the advance
 * @throws ExitWith the signal's status, after the result was printed, when a signal canceled the advance
 * paytwin: interrupting a command also stops the work that it started.
 */
export async function cancelable<Answer>(
  { client, out }: Invocation,
  scope: ClockScope,
  work: Promise<Answer>,
  print: (answer: Answer) => void,
): Promise<void> {
  let received: NodeJS.Signals | undefined
  const cancel = (signal: NodeJS.Signals) => {
    received = signal
    // If this fails, the advance itself reports the reason.
    client.cancelAdvances(scope).catch(() => undefined)
  }
  process.once('SIGINT', cancel).once('SIGTERM', cancel)
  try {
    print(await work)
  } finally {
    process.off('SIGINT', cancel).off('SIGTERM', cancel)
  }
  if (received === undefined) return
  out.note('Canceled: the clock stays at the time it has reached.')
  throw new ExitWith(128 + constants.signals[received])
}
