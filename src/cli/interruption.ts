import { constants } from 'node:os'
import type { ClockScope } from '../client/types.ts'
import type { Invocation } from './command.ts'
import { Ended } from './failure.ts'

/**
 * Waits for an advance; Ctrl-C or SIGTERM ends it where it has come to, which it then tells as if that had been its aim. A
 * command that dies otherwise leaves it to the daemon, where it goes on.
 * @param tell - says what the advance has done
 * @throws Ended with the signal's status, after it was told, when a signal ended the advance
 * paytwin: who interrupts a command wants what it does to stop.
 */
export async function cancelable<Answer>(
  { client, out }: Invocation,
  scope: ClockScope,
  work: Promise<Answer>,
  tell: (answer: Answer) => void,
): Promise<void> {
  let received: NodeJS.Signals | undefined
  const cancel = (signal: NodeJS.Signals) => {
    received = signal
    // When this fails, the advance itself tells why.
    client.cancelAdvances(scope).catch(() => undefined)
  }
  process.once('SIGINT', cancel).once('SIGTERM', cancel)
  try {
    tell(await work)
  } finally {
    process.off('SIGINT', cancel).off('SIGTERM', cancel)
  }
  if (received === undefined) return
  out.note('Interrupted: the clock stays where it has come to.')
  throw new Ended(128 + constants.signals[received])
}
