import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '../client/client.ts'
import { Refused } from '../client/errors.ts'
import type { Event, WebhookEndpoint } from '../client/types.ts'
import { assert } from '../core/errors.ts'
import { eventLine } from '../ui/event-line.ts'
import { verifySignature } from '../webhooks/signature.ts'
import type { Invocation } from './command.ts'
import { Failure } from './failure.ts'
import { untilInterrupted } from './until-interrupted.ts'
import { wallSeconds } from './wall.ts'

const LOOPBACK = '127.0.0.1'

/** The largest body that is read. Even an object filled by many requests stays below half of it. */
const MAX_BODY_BYTES = 8 * 1_048_576

/** The daemon sends over loopback, with at most 200 deliveries at once. A slower sender, or more connections, is not the daemon. */
const SOCKETS = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 500 }
const MAX_CONNECTIONS = 250

type Wanted = {
  readonly merchant: string
  readonly port: number
  readonly enabled_events: readonly string[] | undefined
}

/**
 * Receives webhooks: creates an endpoint, prints each event with a valid signature, and deletes the endpoint at the end.
 * See docs/contract/events-and-webhooks.md#webhook-listener.
 */
export async function listen(
  { client, out }: Invocation,
  { merchant, port, enabled_events }: Wanted,
): Promise<void> {
  // The first delivery may arrive before the response with the secret.
  let setSecret = (_secret: string) => {}
  const secret = new Promise<string>((resolve) => {
    setSecret = resolve
  })
  const server = createServer(SOCKETS, (request, response) => {
    receive(request, secret).then(
      (event) => {
        if (out.isJson) out.json(event, 0)
        else out.line(...eventLine(event))
        response.writeHead(200).end('ok')
      },
      (error: Error) => {
        out.note(`Rejected: ${error.message}`)
        response.writeHead(error instanceof Rejected ? error.status : 400).end()
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
      assert(endpoint.secret, 'the response to creating an endpoint contains its secret')
      setSecret(endpoint.secret)
      out.note(`Listening on ${url} as ${endpoint.id} (Ctrl-C to stop). Signing secret: ${endpoint.secret}`)
      try {
        await whenAborted(ended)
      } finally {
        await deleteEndpoint(client, endpoint)
      }
    } finally {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }
  })
}

/**
 * Deletes the endpoint, unless it is already deleted. After a reset or a restore its id may belong to another endpoint,
 * which stays.
 */
async function deleteEndpoint(client: Client, own: WebhookEndpoint): Promise<void> {
  try {
    const found = await findEndpoint(client, own)
    const isOwn = found !== undefined && found.url === own.url && found.description === own.description
    if (isOwn) await client.deleteWebhook(own.id)
  } catch (error) {
    if (!(error instanceof Refused && error.code === 'resource_missing')) throw error
  }
}

/** Finds the endpoint that has the id now. @throws Refused resource_missing when its merchant does not exist any more */
async function findEndpoint(
  client: Client,
  { id, merchant_id }: WebhookEndpoint,
): Promise<WebhookEndpoint | undefined> {
  let starting_after: string | undefined
  do {
    const page = await client.webhooks({ merchant: merchant_id, limit: 100, starting_after })
    const found = page.data.find((endpoint) => endpoint.id === id)
    if (found) return found
    starting_after = page.has_more ? page.data.at(-1)?.id : undefined
  } while (starting_after !== undefined)
  return undefined
}

/** A request that is rejected: its signature is invalid, or its body is too large. */
class Rejected extends Error {
  readonly status: 401 | 413

  constructor(status: 401 | 413, message: string) {
    super(message)
    this.status = status
  }
}

/** Reads and verifies a delivery. @throws Rejected */
async function receive(request: IncomingMessage, secret: Promise<string>): Promise<Event> {
  const body = await read(request)
  const verdict = verifySignature(await secret, { body, headers: request.headers }, { now: wallSeconds() })
  if (!verdict.isValid) throw new Rejected(401, verdict.reason)
  return JSON.parse(body.toString('utf8'))
}

/** Reads the body of a request. Node discards the rest of a body that is too large. @throws Rejected */
async function read(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop must not destroy the connection, which the response needs.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = () => new Rejected(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`)

/** Starts the server. @returns its URL. @throws Failure 1 if the port is taken */
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
