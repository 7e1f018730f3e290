import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Client } from '../client/client.ts'
import { Refused } from '../client/errors.ts'
import type { Event } from '../client/types.ts'
import { assert } from '../core/errors.ts'
import { eventLine } from '../ui/event-line.ts'
import { verifySignature } from '../webhooks/signature.ts'
import type { Invocation } from './command.ts'
import { Failure } from './failure.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { wallSeconds } from './wall.ts'

const LOOPBACK = '127.0.0.1'

type Wanted = {
  readonly merchant: string
  readonly port: number
  readonly enabled_events: readonly string[] | undefined
}

/**
 * A receiver of webhooks: it makes an endpoint for itself, prints each event whose signature is right, and deletes the
 * endpoint when it ends.
 * Source: operator.md, Command line (`webhooks listen`).
 */
export async function listen(
  { client, out }: Invocation,
  { merchant, port, enabled_events }: Wanted,
): Promise<void> {
  // The first delivery may come sooner than the answer that tells the secret.
  let tell = (_secret: string) => {}
  const secret = new Promise<string>((resolve) => {
    tell = resolve
  })
  const server = createServer((request, response) => {
    receive(request, secret).then(
      (event) => {
        if (out.isJson) out.json(event, 0)
        else out.line(...eventLine(event))
        response.writeHead(200).end('ok')
      },
      (error: Error) => {
        out.note(`Refused: ${error.message}`)
        response.writeHead(error instanceof Distrusted ? 401 : 400).end()
      },
    )
  })
  await untilInterrupted(async (ended) => {
    const url = await open(server, port)
    try {
      const endpoint = await client.createWebhook({
        url,
        enabled_events,
        merchant,
        description: 'paytwin webhooks listen',
      })
      assert(endpoint.secret, 'an endpoint that was just made tells its secret')
      tell(endpoint.secret)
      out.note(`Listening on ${url} as ${endpoint.id}, until Ctrl-C. It verifies with ${endpoint.secret}`)
      try {
        await whenAborted(ended)
      } finally {
        await takeAway(client, endpoint.id)
      }
    } finally {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }
  })
}

/** That somebody else has deleted it already is as well. */
async function takeAway(client: Client, endpoint: string): Promise<void> {
  try {
    await client.deleteWebhook(endpoint)
  } catch (error) {
    if (!(error instanceof Refused && error.code === 'resource_missing')) throw error
  }
}

/** A delivery whose signature is not right. */
class Distrusted extends Error {}

/** @throws Distrusted */
async function receive(request: IncomingMessage, secret: Promise<string>): Promise<Event> {
  const body = await text(request)
  const verdict = verifySignature(await secret, { body, headers: request.headers }, { now: wallSeconds() })
  if (!verdict.isValid) throw new Distrusted(verdict.reason)
  return JSON.parse(body)
}

/** @returns where the server listens. @throws Failure 1 when the port is taken */
const open = (server: Server, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Failure(1, `Cannot listen on port ${port}: ${error.message}`)))
    server.listen(port, LOOPBACK, () => {
      const address = server.address() as AddressInfo
      resolve(`http://${LOOPBACK}:${address.port}/`)
    })
  })

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
