import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { SandboxOptions } from '../../src/daemon/sandbox.ts'
import { startTwin, type Twin } from '../twin.ts'

/** Starts a twin that real HTTP clients can reach over loopback. */
export type Loopback = { readonly twin: Twin; readonly port: number; close(): Promise<void> }

export async function startLoopback(
  options: Partial<SandboxOptions> & { now?: string } = {},
): Promise<Loopback> {
  const twin = await startTwin(options)
  const server = createAdaptorServer({ fetch: twin.sandbox.app.fetch })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const close = async () => {
    await new Promise((closed) => server.close(closed))
    await twin.close()
  }
  return { twin, port: (server.address() as AddressInfo).port, close }
}
