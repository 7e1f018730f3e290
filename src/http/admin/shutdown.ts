import { shutdownSchema } from '../schemas/shutdown.ts'
import type { AddRoute } from './site.ts'

/** See docs/contract/operator.md#stopping. */
export function shutdownRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'shutdown',
      summary: 'Ends the daemon; answers once its database is closed.',
      returns: shutdownSchema,
    },
    async ({ c, site }) => {
      const { incoming } = (c.env ?? {}) as { incoming?: { socket: object } }
      await site.shutDown(incoming?.socket)
      return {
        object: 'shutdown' as const,
        url: site.url(),
        pid: process.pid,
        data: site.data,
        livemode: false,
      }
    },
  )
}
