import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { refuseUnreadable, unreadable } from './unreadable.ts'

type Serving = {
  readonly host: string
  /** The server's own address, for its answers. */
  readonly url: () => string
  /** Told of what could not be read. */
  readonly note?: (error: unknown) => void
  /** Whether Request and Response give way to quicker ones, in the whole process. */
  readonly overrideGlobalObjects?: boolean
}

/** A server of the application, not yet listening. What it cannot read is answered like every other mistake. */
export function httpServer(
  app: Hono,
  { host, url, note = () => undefined, overrideGlobalObjects = true }: Serving,
): Server {
  const errorHandler = (error: unknown) => {
    note(error)
    return unreadable(url())
  }
  const server = createServer(
    // A missing Host too.
    { requireHostHeader: false },
    getRequestListener(app.fetch, { hostname: host, errorHandler, overrideGlobalObjects }),
  )
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket, url()))
  return server
}
