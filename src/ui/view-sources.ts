import type { Client } from '../client/client.ts'
import { watchDeliveries } from './delivery-watch.ts'
import { watchRequests } from './request-watch.ts'
import type { Action } from './step.ts'
import type { ViewName } from './views.ts'

/** Reads the deliveries and requests of the views, once they are shown. */
export type ViewSources = {
  readonly show: (view: ViewName) => void
  /** Reads deliveries again soon, because events have arrived. */
  readonly pollSoon: () => void
}

/** Deliveries are polled only while they are visible. Requests are followed from the first time that they are. */
export function viewSources(
  client: Client,
  merchant: string | undefined,
  {
    signal,
    dispatch,
    failed,
  }: {
    readonly signal: AbortSignal
    readonly dispatch: (action: Action) => void
    readonly failed: (error: unknown) => void
  },
): ViewSources {
  const deliveries = watchDeliveries(client, merchant, {
    signal,
    failed,
    onDeliveries: (read) => dispatch({ kind: 'deliveries', deliveries: read }),
  })
  let isFollowingRequests = false
  const followRequests = () => {
    if (isFollowingRequests) return
    isFollowingRequests = true
    watchRequests(client, merchant, {
      signal,
      failed,
      onRequests: (requests) => dispatch({ kind: 'requests', requests }),
    }).catch(failed)
  }
  return {
    show: (view) => {
      if (view === 'webhooks') deliveries.poll()
      else deliveries.stop()
      if (view === 'requests') followRequests()
    },
    pollSoon: () => deliveries.pollSoon(),
  }
}
