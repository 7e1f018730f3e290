import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type Address, open, readJson } from './transport.ts'
import type { Shutdown } from './types.ts'

/** A daemon that is shutting down. */
export type StoppingDaemon = {
  /** The response, sent after the database was closed. */
  readonly shutdown: Shutdown
  /** Resolves to whether the process exited in time. Does not work through a proxy. */
  readonly exitsWithin: (ms: number) => Promise<boolean>
}

/**
 * Shuts a daemon down. The daemon keeps the connection of this request open until its process exits. So the caller can wait
 * for the exit wherever the process runs, also in a container.
 * @throws Refused, Unreachable: see requestJson
 */
export async function shutDown(address: Address): Promise<StoppingDaemon> {
  const Agent = address.url.startsWith('https:') ? HttpsAgent : HttpAgent
  const agent = new Agent({ keepAlive: true })
  const response = await open(address, { method: 'POST', path: '/_paytwin/shutdown', agent })
  const { socket } = response
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)))
  const shutdown = await readJson<Shutdown>(address, response)
  return { shutdown, exitsWithin: (ms) => within(ms, closed).finally(() => agent.destroy()) }
}

async function within(ms: number, closed: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  return Promise.race([closed, late]).finally(() => clearTimeout(timer))
}
