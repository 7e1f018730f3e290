import { type Following, messages, reconnecting, type Told } from './live.ts'
import { type Address, open } from './transport.ts'
import type { LoggedRequest } from './types.ts'

/**
 * Requests to /v1 as they are answered, from now on. When the connection breaks it is made again; what was answered
 * meanwhile is not told, for a daemon that comes back remembers none.
 * @throws Refused, Unreachable: see reconnecting
 * See docs/contract/operator.md#request-log.
 */
export const followRequests = (
  address: Address,
  { merchant }: { readonly merchant?: string | undefined },
  following: Following,
): AsyncGenerator<LoggedRequest, void, undefined> =>
  reconnecting(async (signal) => {
    const query = new URLSearchParams(merchant === undefined ? {} : { merchant })
    const response = await open(address, {
      method: 'GET',
      path: `/_paytwin/requests?${query}`,
      headers: { accept: 'text/event-stream' },
      signal,
    })
    return requestsOf(messages<LoggedRequest>(address, response, 'request'))
  }, following)

async function* requestsOf(
  told: AsyncIterable<Told<LoggedRequest>>,
): AsyncGenerator<LoggedRequest, void, undefined> {
  for await (const { message } of told) yield message
}
