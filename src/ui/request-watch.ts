import type { Client } from '../client/client.ts'
import { Refused, Unreachable } from '../client/errors.ts'
import type { StreamStatus } from '../client/live.ts'
import type { LoggedRequest } from '../client/types.ts'

/** The number of requests to read when the stream starts or restarts. */
const LIMIT = 100
/** The number of request IDs to remember: as many requests as the daemon keeps. */
const REMEMBERED = 1_000

/**
 * Reads the newest requests, and those that are answered from then on, until the signal aborts. Requests that arrive together
 * are reported together, each of them once.
 */
export async function watchRequests(
  client: Pick<Client, 'requests' | 'followRequests'>,
  merchant: string | undefined,
  {
    signal,
    onRequests,
    failed,
  }: {
    readonly signal: AbortSignal
    readonly onRequests: (requests: readonly LoggedRequest[]) => void
    /** An internal error. */
    readonly failed: (error: unknown) => void
  },
): Promise<void> {
  const seen = new Set<string>()
  let arrived: LoggedRequest[] = []
  let isReading = false
  const flush = () => {
    const fresh = arrived.filter(({ id }) => !seen.has(id) && seen.add(id))
    arrived = []
    for (const id of seen) {
      if (seen.size <= REMEMBERED) break
      seen.delete(id)
    }
    if (fresh.length > 0) onRequests(fresh)
  }
  const readNewest = async () => {
    isReading = true
    const newest = await newestRequests(client, merchant)
    isReading = false
    arrived = [...newest, ...arrived]
    flush()
  }
  const onStatus = (status: StreamStatus) => {
    if (status === 'connected' || status === 'reconnected') readNewest().catch(failed)
  }
  for await (const request of client.followRequests({ merchant }, { signal, onStatus })) {
    if (arrived.push(request) === 1) setImmediate(() => !isReading && flush())
  }
}

/** Reads the newest requests, oldest first; none if the daemon does not answer, which the stream of events reports. */
async function newestRequests(
  client: Pick<Client, 'requests'>,
  merchant: string | undefined,
): Promise<readonly LoggedRequest[]> {
  try {
    return (await client.requests({ merchant, limit: LIMIT })).data.toReversed()
  } catch (error) {
    if (error instanceof Refused || error instanceof Unreachable) return []
    throw error
  }
}
