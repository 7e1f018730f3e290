import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
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

/** The largest body that is read: an object that many requests have filled, twice over, is smaller. */
const MAX_BODY_BYTES = 8 * 1_048_576

/**
 * The daemon sends over the loopback, and has at most 200 deliveries on their way. Whoever sends more slowly, or over more connections,
 * is somebody else.
 */
const SOCKETS = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 500 }
const MAX_CONNECTIONS = 250

type Wanted = {
  readonly merchant: string
  readonly port: number
  readonly enabled_events: readonly string[] | undefined
}

/**
 * A receiver of webhooks: it makes an endpoint for itself, prints each event whose signature is right, and deletes the
 * endpoint when it ends.
 * See docs/contract/events-and-webhooks.md#webhook-listener.
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
  const server = createServer(SOCKETS, (request, response) => {
    receive(request, secret).then(
      (event) => {
        if (out.isJson) out.json(event, 0)
        else out.line(...eventLine(event))
        response.writeHead(200).end('ok')
      },
      (error: Error) => {
        out.note(`Refused: ${error.message}`)
        response.writeHead(error instanceof NotTaken ? error.status : 400).end()
      },
    )
  })
  server.maxConnections = MAX_CONNECTIONS
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

/** A request that is no delivery of this daemon's: its signature is not right, or it is too large. */
class NotTaken extends Error {
  readonly status: 401 | 413

  constructor(status: 401 | 413, message: string) {
    super(message)
    this.status = status
  }
}

/** @throws NotTaken */
async function receive(request: IncomingMessage, secret: Promise<string>): Promise<Event> {
  const body = await read(request)
  const verdict = verifySignature(await secret, { body, headers: request.headers }, { now: wallSeconds() })
  if (!verdict.isValid) throw new NotTaken(401, verdict.reason)
  return JSON.parse(body.toString('utf8'))
}

/** The body of a request. What follows a body that is too large is thrown away by Node as it comes. @throws NotTaken */
async function read(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  // The answer needs the connection, which leaving the loop would else destroy.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = () => new NotTaken(413, `Its body is larger than ${MAX_BODY_BYTES} bytes.`)

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
