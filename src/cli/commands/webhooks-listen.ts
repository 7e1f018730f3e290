import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Client } from '../../client/client.ts'
import { Refused } from '../../client/errors.ts'
import type { StreamNews, StreamStart } from '../../client/event-stream.ts'
import type { Event, WebhookEndpoint } from '../../client/types.ts'
import { assert } from '../../core/errors.ts'
import { JoinedRequest } from '../../daemon/joined-request.ts'
import { eventLine } from '../../ui/event-line.ts'
import { refusalWithoutBody, verifySignature } from '../../webhooks/signature.ts'
import { BodiesInProgress } from '../bodies-in-progress.ts'
import type { Invocation } from '../command.ts'
import { ConnectionsInTurn } from '../connections-in-turn.ts'
import { Failure } from '../failure.ts'
import { untilInterrupted } from '../interruption.ts'
import { wallSeconds } from '../time.ts'

const LOOPBACK = '127.0.0.1'

/** The maximum size of a body. The largest objects stay below half of it. */
const MAX_BODY_BYTES = 8 * 1_048_576
/** The maximum size of all bodies that are in memory at a time. */
const MAX_BYTES = 128 * 1_048_576

/** Limits that the daemon never reaches: it sends over loopback, at most 200 deliveries at once. */
const SOCKETS = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 500 }
const MAX_CONNECTIONS = 250
/** More than the time in which a request arrives. Each byte after a response would restart Node's timeout. */
const CONNECTION_MS = 11_000

type Wanted = {
  readonly merchant: string
  readonly port: number
  readonly enabled_events: readonly string[] | undefined
}

/**
 * Receives webhooks: creates an endpoint, prints each event with a valid signature, and deletes the endpoint at the end.
 * If a reset or a restore removes the endpoint, it creates another one.
 * See docs/contract/events-and-webhooks.md#webhook-listener.
 */
export async function listen({ client, out }: Invocation, wanted: Wanted): Promise<void> {
  const own = new OwnEndpoint(client, wanted)
  const bodies = new BodiesInProgress(MAX_BYTES)
  const used = new WeakSet<Socket>()
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    // Each delivery has a connection of its own. Pipelined requests would fill the memory until all of them are answered.
    if (used.has(socket)) return void socket.destroy()
    used.add(socket)
    const accepted = () => connections.prefer(socket)
    const shown = receive(request, { bodies, accepted, secretOf: () => own.secret }).then((event) => {
      if (out.isBehind) throw new Rejected(503, 'More than 32 Mi characters of output wait for a reader.')
      if (out.isJson) out.json(event, 0)
      else out.line(...eventLine(event))
    })
    shown
      .then(
        () => end(response, 200, 'ok'),
        (error: Error) => {
          out.note(`Rejected: ${error.message}`)
          end(response, error instanceof Rejected ? error.status : 400)
        },
      )
      .finally(() => bodies.remove(request))
  }
  const server = createServer({ ...SOCKETS, IncomingMessage: JoinedRequest }, serve)
  // Node would refuse these itself, any number over one connection.
  server.on('checkExpectation', serve)
  const connections = new ConnectionsInTurn(server, { most: MAX_CONNECTIONS, maxMs: CONNECTION_MS })
  await untilInterrupted(async (ended) => {
    const url = await open(server, wanted.port)
    try {
      const beginning = await client.positionAfterNewest({ merchant: wanted.merchant, types: RARE })
      const { id, secret } = await own.create(url)
      out.note(`Listening on ${url} as ${id} (Ctrl-C to stop). Signing secret: ${secret}`)
      try {
        await keepEndpoint({ client, own, out }, beginning, ended)
      } finally {
        await own.delete()
      }
    } finally {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }
  })
}

/** Ends a response, and its connection unless the rest of a body is still to be discarded. */
function end(response: ServerResponse, status: number, text = ''): void {
  // An idle connection would count against the limit; the daemon makes one for each delivery.
  response.shouldKeepAlive = !response.req.complete
  response.writeHead(status).end(text)
}

/** The stream is needed only for its reset messages, so it is limited to a rare event type. */
const RARE: readonly string[] = ['subscription.resumed']

/** Until the signal aborts, creates the endpoint again whenever a reset, a restore or a new daemon has removed it. */
async function keepEndpoint(
  { client, own, out }: Pick<Invocation, 'client' | 'out'> & { readonly own: OwnEndpoint },
  beginning: StreamStart,
  signal: AbortSignal,
): Promise<void> {
  let restored = Promise.resolve()
  const restore = async () => {
    try {
      const made = await own.restore()
      if (made) out.note(`Listening as ${made.id} after a reset or restore. Signing secret: ${made.secret}`)
    } catch (error) {
      out.note(`The endpoint cannot be created again: ${(error as Error).message}`)
    }
  }
  const onStatus = (news: StreamNews) => {
    // A reset can also have removed the endpoint before the first connection.
    if (news !== 'lost') restored = restored.then(restore)
  }
  const events = client.followEvents(beginning, { signal, onStatus })
  while (!(await events.next()).done);
  await restored
}

/**
 * The endpoint that a listener creates. After a reset or a restore, its id may belong to another endpoint, which must not be
 * deleted.
 */
class OwnEndpoint {
  readonly #client: Client
  readonly #wanted: Wanted
  #endpoint: WebhookEndpoint | undefined
  #url = ''
  /** The first delivery may arrive before the response with the secret. */
  #secret: Promise<string> = new Promise(() => undefined)

  constructor(client: Client, wanted: Wanted) {
    this.#client = client
    this.#wanted = wanted
  }

  get secret(): Promise<string> {
    return this.#secret
  }

  async create(url: string): Promise<{ readonly id: string; readonly secret: string }> {
    const { merchant, enabled_events } = this.#wanted
    this.#url = url
    const created = this.#client.createWebhook({ url, enabled_events, merchant, description: DESCRIPTION })
    const known = created.then(({ secret }) => {
      assert(secret, 'the response to creating an endpoint contains its secret')
      return secret
    })
    // The caller gets the error. Deliveries that wait for the secret time out in the daemon.
    this.#secret = known.catch(() => new Promise<never>(() => undefined))
    this.#endpoint = await created
    return { id: this.#endpoint.id, secret: await known }
  }

  /** Creates the endpoint again if it does not exist any more. @returns the new one; undefined if it still exists */
  async restore(): Promise<{ readonly id: string; readonly secret: string } | undefined> {
    return (await this.#find()) ? undefined : this.create(this.#url)
  }

  /** Deletes the endpoint, unless it is already deleted. */
  async delete(): Promise<void> {
    try {
      const found = await this.#find()
      if (found) await this.#client.deleteWebhook(found.id)
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'resource_missing')) throw error
    }
  }

  /** Finds the endpoint. @throws Refused resource_missing when its merchant does not exist any more */
  async #find(): Promise<WebhookEndpoint | undefined> {
    const own = this.#endpoint
    if (!own) return undefined
    const found = await findEndpoint(this.#client, own)
    return found && found.url === own.url && found.description === own.description ? found : undefined
  }
}

const DESCRIPTION = 'paytwin webhooks listen'

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

/** A request that is rejected: its signature is invalid, its body is too large or no event, or it cannot be printed. */
class Rejected extends Error {
  readonly status: 400 | 401 | 413 | 503

  constructor(status: Rejected['status'], message: string) {
    super(message)
    this.status = status
  }
}

type Receiving = {
  readonly bodies: BodiesInProgress
  /** Called once the headers have a recent signature, before the body is read. */
  readonly accepted: () => void
  readonly secretOf: () => Promise<string>
}

/** Reads and verifies a delivery. @throws Rejected */
async function receive(request: IncomingMessage, { bodies, accepted, secretOf }: Receiving): Promise<Event> {
  const reason = refusalWithoutBody(request.headers, { now: wallSeconds() })
  if (reason !== undefined) throw new Rejected(401, reason)
  accepted()
  const body = await read(request, bodies)
  const verdict = verifySignature(
    await secretOf(),
    { body, headers: request.headers },
    { now: wallSeconds() },
  )
  if (!verdict.isValid) throw new Rejected(401, verdict.reason)
  const event: unknown = JSON.parse(body.toString('utf8'))
  if (!isEvent(event)) throw new Rejected(400, 'The body is no event, although its signature is valid.')
  return event
}

/** Whether a signed body has what a line of an event needs. Whoever knows the secret can sign any text. */
function isEvent(value: unknown): value is Event {
  const event = value as Partial<Event> | null
  const object: unknown = event?.data?.object
  return typeof event?.type === 'string' && typeof object === 'object' && object !== null
}

/** Reads the body of a request. Node discards the rest of a body that is too large. @throws Rejected */
async function read(request: IncomingMessage, bodies: BodiesInProgress): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop must not destroy the connection, which the response needs.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw tooLarge()
    bodies.add(request, chunk.length)
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
