import { type FollowedDaemon, type Following, messages, type Received, reconnecting } from './live.ts'
import { open } from './transport.ts'
import type { LoggedRequest } from './types.ts'

/** Selects requests: of a merchant, or with ignored parameters. */
export type RequestsWanted = {
  readonly merchant?: string | undefined
  readonly ignored_params?: boolean | undefined
  /** An ID that they name, or an object that they have changed. */
  readonly object?: string | undefined
}

/**
 * Streams requests to /v1 as they are answered, from now on. Reconnects when the connection breaks. Requests that were
 * answered in the meantime are skipped, because a restarted daemon does not have them.
 * @throws Refused, Unreachable: see reconnecting
 * See docs/contract/operator.md#request-log.
 */
export const followRequests = (
  daemon: FollowedDaemon,
  { merchant, ignored_params, object }: RequestsWanted,
  following: Following,
): AsyncGenerator<LoggedRequest, void, undefined> =>
  reconnecting(
    daemon,
    async (signal) => {
      const query = new URLSearchParams({
        ...(merchant !== undefined && { merchant }),
        ...(ignored_params && { ignored_params: 'true' }),
        ...(object !== undefined && { object }),
      })
      const response = await open(daemon.address, {
        method: 'GET',
        path: `/_paytwin/requests?${query}`,
        headers: { accept: 'text/event-stream' },
        signal,
      })
      return requestsOf(messages<LoggedRequest>(daemon.address, response, 'request'))
    },
    following,
  )

async function* requestsOf(
  received: AsyncIterable<Received<LoggedRequest>>,
): AsyncGenerator<LoggedRequest, void, undefined> {
  for await (const { message } of received) yield message
}
