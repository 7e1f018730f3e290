import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { nodeVariables } from '../../src/cli/daemon/run-environment.ts'

/**
 * Has a server in place of the daemon while the tests of a file run.
 * @returns a function that returns the environment of a process with the preload
 */
export function preloadedWith(server: Server): () => NodeJS.ProcessEnv {
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return () => ({
    ...process.env,
    ...nodeVariables(resolve('dist/stripe-preload.cjs')),
    PAYTWIN_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
}
