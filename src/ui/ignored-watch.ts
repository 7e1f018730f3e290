import type { Client } from '../client/client.ts'
import { Refused, Unreachable } from '../client/errors.ts'
import type { LoggedRequest } from '../client/types.ts'

/**
 * Follows the requests with ignored parameters until the signal aborts. If the stream fails, it waits for the signal: the
 * event stream reports that the daemon is lost or the merchant deleted, and decides whether the UI ends.
 */
export async function watchIgnored(
  client: Pick<Client, 'followRequests'>,
  merchant: string | undefined,
  {
    signal,
    onIgnored,
  }: { readonly signal: AbortSignal; readonly onIgnored: (request: LoggedRequest) => void },
): Promise<void> {
  try {
    for await (const request of client.followRequests({ merchant, ignored_params: true }, { signal }))
      onIgnored(request)
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
}
