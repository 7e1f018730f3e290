import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connectionArrived } from '../engine/machine/arrivals.ts'
import { LimitedTurns } from '../engine/machine/limited-turns.ts'
import type { App } from '../http/app.ts'
import { MAX_RESPONSE_LENGTH } from '../http/bounded-text.ts'
import { ownerOfConnection } from '../http/connection-owner.ts'
import { Connections, type Exchange } from './connections.ts'
import { DirectServer } from './direct.ts'
import { heapLimit, memoryWithin } from './heap.ts'
import { faultOf } from './invalid-requests.ts'
import { JoinedRequest } from './joined-request.ts'
import { LateRequests } from './late-requests.ts'
import { connectionsWithin, openFileLimit } from './open-files.ts'
import { PipelinedRequests } from './pipelined-requests.ts'
import { responsesCountedBy, UnreadResponses } from './unread-responses.ts'
import { type Reason, refusalOfUnreadable, refuseByHand } from './unreadable.ts'

/** Limits on the size and the duration of requests and connections. */
export type SocketLimits = {
  /** The time from the connection, or the previous response, to the end of a request's headers, in milliseconds. */
  readonly headersMs: number
  /** The same, to the end of the request's body. */
  readonly requestMs: number
  /**
   * The time for which an idle connection is kept after a response, in milliseconds. Clients and proxies close idle connections
   * earlier, mostly after at most a minute. If the daemon closed first, a request sent at the same time would be lost, and a
   * test would fail at random. Bytes that are not a request, such as blank lines, prolong it at most by the time for headers.
   */
  readonly idleMs: number
  /** The time that a response waits for a peer that does not read it, in milliseconds. */
  readonly unreadMs: number
  /** The number of bytes of all responses and streams that may wait for their peers. Beyond it, the connections that wait longest are closed. */
  readonly unreadBytes: number
  /** The memory of all pipelined requests. Beyond it, the connections that wait longest are closed. */
  readonly pipelinedBytes: number
  /** The time that an ended connection waits for its peer to close it, in milliseconds. */
  readonly lingerMs: number
  /** The interval at which the first two limits are checked, in milliseconds. */
  readonly checkMs: number
  /** The size of the request line and all headers. */
  readonly headerBytes: number
  /** The number of headers of a request. */
  readonly headerCount: number
  /** The number of connections at a time. For a further one, the one that has been idle longest is closed. */
  readonly connections: number
}

/**
 * The default limits. A response has no time limit, because an advance may take any time. The limits on bodies are in
 * http/api.ts and http/admin/routes.ts.
 * See docs/contract/requests.md#limits.
 */
export const SOCKET_LIMITS: SocketLimits = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 65_000,
  unreadMs: 60_000,
  unreadBytes: 2 ** 28,
  pipelinedBytes: 2 ** 27,
  lingerMs: 1_000,
  checkMs: 1_000,
  headerBytes: 16_384,
  headerCount: 200,
  connections: 4_000,
}

/** The unread bytes that one response of the maximum length needs: a character has up to 3, and headers come before it. */
const LEAST_UNREAD_BYTES = 3 * MAX_RESPONSE_LENGTH + 2 ** 20

/**
 * Returns the limits of a process.
 * @param openFiles - the number of files that it may open at a time
 * @param heapBytes - the maximum size of its heap
 */
export const limitsWithin = (openFiles: number, heapBytes: number): SocketLimits => ({
  ...SOCKET_LIMITS,
  connections: connectionsWithin(openFiles, SOCKET_LIMITS.connections),
  unreadBytes: memoryWithin(heapBytes, { most: SOCKET_LIMITS.unreadBytes, least: LEAST_UNREAD_BYTES }),
  pipelinedBytes: memoryWithin(heapBytes, { most: SOCKET_LIMITS.pipelinedBytes }),
})

/** Returns the default limits of this process. */
export const limitsOfProcess = (): SocketLimits => limitsWithin(openFileLimit(), heapLimit())

/** The code of Node's error for a request that does not arrive in time. */
const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT'

/** After this time of silence, TCP probes whether the peer still exists, in milliseconds. */
const PROBE_AFTER_MS = 60_000

/** An HTTP server with its connections. */
export type Listener = { readonly server: Server; readonly connections: Connections }

/**
 * Creates the HTTP server of an application, which does not listen yet. A request that Node cannot parse gets an error response
 * in the API's form, unless that would interrupt another response.
 * @param options.url - the daemon's URL, which is known once it listens
 * @param options.unread - reports a request that could not be passed to the application
 * @param options.keepsGlobals - whether to keep the global Request and Response; otherwise faster ones replace them in the process
 */
export function createListener(
  { app, serves }: Pick<App, 'app' | 'serves'>,
  {
    hostname,
    url,
    unread,
    limits = SOCKET_LIMITS,
    keepsGlobals = false,
  }: {
    readonly hostname: string
    readonly url: () => string
    readonly unread: (error: unknown) => void
    readonly limits?: SocketLimits | undefined
    readonly keepsGlobals?: boolean
  },
): Listener {
  const loadHono = async () => {
    const { getRequestListener } = await import('@hono/node-server')
    return getRequestListener(app.fetch, {
      hostname,
      overrideGlobalObjects: !keepsGlobals,
      errorHandler: (error) => {
        unread(error)
        const { status, headers, text } = refusalOfUnreadable(url())
        return new Response(text, { status, headers })
      },
    })
  }
  /** Serves with hono, which is loaded when needed, because it loads Node's implementation of `fetch`. */
  let hono: ReturnType<typeof loadHono> | undefined
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    hono ??= loadHono()
    await (await hono)(request, response)
  }
  const direct = new DirectServer({ app, serves })
  const failed = (response: ServerResponse) => (error: unknown) => {
    unread(error)
    response.destroy()
  }
  const server = createServer({
    IncomingMessage: JoinedRequest,
    ServerResponse: responsesCountedBy(new UnreadResponses(limits.unreadBytes)),
    // Node's own error response has no body and no Request-Id: see lacksHost().
    requireHostHeader: false,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
  })
  // Node silently drops further headers. It keeps one more than are allowed, by which such a request is found and refused.
  server.maxHeadersCount = limits.headerCount + 1
  const connections = new Connections(server, {
    ...limits,
    ownerOf: ownerOfConnection,
    // Node refuses late headers with an error response, at its next check.
    betweenMs: limits.idleMs + limits.headersMs + 2 * limits.checkMs,
  })
  const pipelined = new PipelinedRequests(limits.pipelinedBytes, () => connections.isOver)
  const late = new LateRequests(connections, pipelined, limits)
  /** The turns of pipelined requests, and of reads and pages that hono serves: they take longer to begin. Connections take turns. */
  const turns = new LimitedTurns<Socket>()
  /** Begins to serve a request in a turn of its connection, unless it is closed by then. @returns when it was answered */
  const beginInTurn = ({ socket }: IncomingMessage, begin: Begin): Promise<void> =>
    new Promise((resolve) => turns.run(socket, () => resolve(socket.destroyed ? undefined : begin())))
  /** Serves a request when its turn over its connection has come. It counts as being served while it waits. */
  const serveInOrder = (request: IncomingMessage, response: ServerResponse, begin: Begin) => {
    if (!connections.take(request, response)) return
    const track = (answered: ReturnType<Begin>) => {
      if (answered) connections.serves(request, answered).catch(failed(response))
    }
    // Node keeps the response back while an earlier one has the connection.
    const isPipelined = response.socket === null
    if (isPipelined) pipelined.serve(request, response, () => track(beginInTurn(request, begin)))
    else track(begin())
  }
  const serveValid = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    direct.serve(request, response) ??
    (isWrite(request) ? serve(request, response) : beginInTurn(request, () => serve(request, response)))
  server.on('request', (request, response) => {
    if (hasUnreadBody(request)) request.resume()
    const fault = faultOf(request, limits.headerCount)
    const refuseFault = () => refuse(response, url(), fault)
    serveInOrder(request, response, fault ? refuseFault : () => serveValid(request, response))
  })
  // Node would return 417, which the API does not have.
  server.on('checkExpectation', (request, response) =>
    serveInOrder(request, response, () => refuse(response, url())),
  )
  server.on('connection', connectionArrived)
  const drains = new WeakMap<Duplex, ReturnType<Socket['listeners']>>()
  server.on('connection', (socket) => drains.set(socket, socket.listeners('drain')))
  server.on('connect', (_request, socket) => {
    // Node has removed its own listeners: without these, an error would end the process, and the peer's close would be missed.
    const end = () => void socket.destroy()
    socket.on('error', end).once('end', end)
    // Node's own one tells a response in progress that the connection has room again.
    for (const drained of drains.get(socket) ?? [])
      socket.on('drain', () => Reflect.apply(drained, socket, []))
    endUnread(socket, connections.lastOver(socket), () => refuseByHand(socket, url()))
    // What follows is dropped, so that the peer's close is noticed also while a request before it waits.
    socket.resume()
  })
  /** Connections that end after unreadable data, or a late request. */
  const ended = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const end = () => {
      if (ended.has(socket)) return
      ended.add(socket)
      endUnread(socket, connections.lastOver(socket), () =>
        refuseByHand(socket, url(), reasonOf(error, limits)),
      )
    }
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (error.code === REQUEST_TIMEOUT) late.check(socket, end)
    else end()
  })
  return { server, connections }
}

/** Begins to serve a request. @returns when it was answered; nothing if it is at once */
type Begin = () => Promise<void> | void

/** Whether a request is a write of a merchant. They run in the order of their arrival, whatever serves them. */
const isWrite = ({ method, url = '' }: IncomingMessage): boolean =>
  (method === 'POST' || method === 'DELETE') && url.startsWith('/v1/')

/** Whether a request has a body that nobody reads. Node would keep the beginning of it for as long as the response, which may be a stream. */
const hasUnreadBody = ({ method, headers }: IncomingMessage): boolean =>
  method !== 'POST' &&
  method !== 'DELETE' &&
  (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)

/** Ends a connection after unreadable data. @param refuse - sends an error response and ends the connection */
function endUnread(socket: Duplex, last: Exchange | undefined, refuse: () => void): void {
  // The data is not part of a request, or it follows a request that was answered.
  if (!last || (last.request.complete && last.response.writableFinished)) refuse()
  // The data follows a request that is not answered yet, so the error response is sent after that response.
  else if (last.request.complete) {
    // Reading stops: each further byte would be another error.
    socket.pause()
    last.response.once('close', refuse)
  }
  // The data is in the body of the last request. Its response has not started, and no earlier response is in progress.
  else if (!last.response.headersSent && last.before?.writableFinished !== false) refuse()
  else socket.destroy()
}

function refuse(response: ServerResponse, url: string, reason?: Reason): void {
  const { status, headers, text } = refusalOfUnreadable(url, reason)
  response.writeHead(status, headers).end(text)
}

/** Returns the reason for the error response to a request that Node refused or that timed out. */
function reasonOf(
  { code }: NodeJS.ErrnoException,
  { headersMs, requestMs, headerBytes }: SocketLimits,
): Reason | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return { why: `The headers are larger than ${headerBytes} bytes` }
  if (code !== REQUEST_TIMEOUT) return undefined
  return {
    why: `The request has not arrived within ${headersMs / 1000} s, its body within ${requestMs / 1000} s`,
  }
}
