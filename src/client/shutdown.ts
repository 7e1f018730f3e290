import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type Address, open, readJson } from './transport.ts'
import type { Shutdown } from './types.ts'

/** A daemon that is ending. */
export type Ended = {
  /** What it answered once its database was closed. */
  readonly answer: Shutdown
  /** Resolves to whether its process ended in time. A proxy on the way hides that. */
  readonly endsWithin: (ms: number) => Promise<boolean>
}

/**
 * Ends a daemon. It keeps the connection that asked open for as long as its process lives, so that the process can be waited
 * for wherever it runs, also in a container.
 * @throws Refused, Unreachable: see requestJson
 */
export async function shutDown(address: Address): Promise<Ended> {
  const Agent = address.url.startsWith('https:') ? HttpsAgent : HttpAgent
  const agent = new Agent({ keepAlive: true })
  const response = await open(address, { method: 'POST', path: '/_paytwin/shutdown', agent })
  const { socket } = response
  const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)))
  const answer = await readJson<Shutdown>(address, response)
  return { answer, endsWithin: (ms) => within(ms, closed).finally(() => agent.destroy()) }
}

async function within(ms: number, closed: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  return Promise.race([closed, late]).finally(() => clearTimeout(timer))
}
