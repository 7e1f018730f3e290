import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { SandboxOptions } from '../../src/daemon/sandbox.ts'
import { startTwin, type Twin } from '../twin.ts'

/** Starts a twin that real HTTP clients can reach over loopback. */
export type Loopback = {
  readonly twin: Twin
  readonly port: number
  readonly url: string
  close(): Promise<void>
}

export async function startLoopback(
  options: Partial<SandboxOptions> & { now?: string } = {},
): Promise<Loopback> {
  let url = ''
  const twin = await startTwin({ url: () => url, ...options })
  const server = createAdaptorServer({ fetch: twin.sandbox.app.fetch })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const close = async () => {
    await new Promise((closed) => server.close(closed))
    await twin.close()
  }
  const { port } = server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  return { twin, port, url, close }
}
