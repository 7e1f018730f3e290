import { shutdownSchema } from '../schemas/shutdown.ts'
import type { AddRoute } from './services.ts'

/** Registers the route that shuts the daemon down. See docs/contract/operator.md#stopping. */
export function shutdownRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'shutdown',
      summary: 'Shuts the daemon down, and answers when its database is closed.',
      returns: shutdownSchema,
    },
    async ({ c, services }) => {
      const { incoming } = (c.env ?? {}) as { incoming?: { socket: object } }
      await services.shutDown(incoming?.socket)
      return {
        object: 'shutdown' as const,
        url: services.url(),
        pid: process.pid,
        data: services.data,
        livemode: false,
      }
    },
  )
}
