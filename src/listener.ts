import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Connections, type Exchange } from './connections.ts'
import { DirectServer } from './direct.ts'
import type { App } from './http/app.ts'
import { type Reason, refusalOfUnreadable, refuseByHand } from './unreadable.ts'

/** How much of what a stranger sends is taken, and for how long it is waited for. */
export type SocketLimits = {
  /** From the connection, or the answer before, to the end of a request's headers; milliseconds. */
  readonly headersMs: number
  /** The same to the end of its body. */
  readonly requestMs: number
  /**
   * How long a connection is kept that asks for nothing more after an answer; milliseconds. Longer than clients and proxies
   * keep one (mostly up to a minute): a request that meets the hanging up is lost, and a test fails by chance.
   */
  readonly idleMs: number
  /** How long a response, or the rest of one, may wait for a peer that reads nothing; milliseconds. */
  readonly unreadMs: number
  /** How long a connection stays open for its peer to close it after it was ended here; milliseconds. */
  readonly lingerMs: number
  /** How often the first two are looked at; milliseconds. */
  readonly checkMs: number
  /** The request line and all headers. */
  readonly headerBytes: number
  /** Connections at a time; what comes beyond is hung up on. */
  readonly connections: number
}

/**
 * An answer may take as long as it likes, for an advance may: there is no limit on that. How large a body may be stands where it
 * is read, in http/api.ts and http/admin/routes.ts.
 * See docs/contract/requests.md#limits. A process has at least 4,096 files nearly everywhere.
 */
export const SOCKET_LIMITS: SocketLimits = {
  headersMs: 10_000,
  requestMs: 60_000,
  idleMs: 65_000,
  unreadMs: 60_000,
  lingerMs: 1_000,
  checkMs: 1_000,
  headerBytes: 16_384,
  connections: 4_000,
}

/** A peer that is gone without a word is found out after this time of silence, in milliseconds. */
const PROBE_AFTER_MS = 60_000

/** An HTTP server, and the connections that it has. */
export type Listener = { readonly server: Server; readonly connections: Connections }

/**
 * The HTTP server of an application, which does not yet listen. What cannot be understood is answered in the form of every answer, as
 * long as there is an answer to give: one that is under way is never broken into.
 * @param options.url - the daemon's, which is known once it listens
 * @param options.unread - takes note of a request that the application could not be given
 * @param options.keepsGlobals - whether Request and Response stay as they are: else quicker ones take their place in the whole process
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
  /** Serves by way of hono. It is loaded when it is first needed, for Node's implementation of `fetch` comes with it. */
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
    // Node's own answer has no body and no Request-Id: see lacksHost().
    requireHostHeader: false,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
  })
  server.maxConnections = limits.connections
  // Their size is limited. Node would leave out those beyond a number, and nobody would know.
  server.maxHeadersCount = 0
  const connections = new Connections(server, limits)
  server.on('request', (request, response) => {
    if (!connections.take(request, response)) return
    if (lacksHost(request)) refuse(response, url(), HOST_REQUIRED)
    else if (contradicts(request)) refuse(response, url())
    else {
      const answered = direct.serve(request, response) ?? serve(request, response)
      connections.serves(request, answered).catch(failed(response))
    }
  })
  // Node would answer 417, which the API does not know.
  server.on('checkExpectation', (request, response) => {
    if (connections.take(request, response)) refuse(response, url())
  })
  server.on('connect', (_request, socket) => {
    // Node has taken its own listeners away: an error would end the process, and the peer's end would not be seen.
    socket.on('error', () => socket.destroy()).resume()
    endUnread(socket, connections.lastOver(socket), () => refuseByHand(socket, url()))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else
      endUnread(socket, connections.lastOver(socket), () =>
        refuseByHand(socket, url(), reasonOf(error, limits)),
      )
  })
  return { server, connections }
}

/** Ends a connection over which something came that cannot be read. @param refuse - answers and ends */
function endUnread(socket: Duplex, last: Exchange | undefined, refuse: () => void): void {
  // Nothing of it was a request yet, or it came after one that is answered.
  if (!last || (last.request.complete && last.response.writableFinished)) refuse()
  // It came after one that is still to be answered: its own answer comes after that.
  else if (last.request.complete) {
    // No more is read: each further byte would be one more error, and a sign of life from a peer that reads nothing.
    socket.pause()
    last.response.once('close', refuse)
  }
  // It is the body of the last request, which is not answered yet, nor is anything before it waiting.
  else if (!last.response.headersSent && last.before?.writableFinished !== false) refuse()
  else socket.destroy()
}

const HOST_REQUIRED = {
  why: 'A request has exactly one Host header, which only HTTP/1.0 may leave out',
  param: 'Host',
}

/** Whether a request has no Host header, though HTTP/1.1 requires one, or has several. Source: RFC 9112 3.2. */
function lacksHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (!headers.host) return httpVersion !== '1.0'
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1
}

/**
 * Whether a request says two things at once, of which another who reads it, such as a proxy, might believe the other: for
 * whom it is, or how its body is written.
 */
function contradicts({ url = '', headers }: IncomingMessage): boolean {
  const { host, 'transfer-encoding': transfer } = headers
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') return true
  if (url.startsWith('/') || url === '*') return false
  return !URL.canParse(url) || new URL(url).host !== host?.toLowerCase()
}

function refuse(response: ServerResponse, url: string, reason?: Reason): void {
  const { status, headers, text } = refusalOfUnreadable(url, reason)
  response.writeHead(status, headers).end(text)
}

/** Why a request was given up, for the one who sent it. */
function reasonOf(
  { code }: NodeJS.ErrnoException,
  { headersMs, requestMs, headerBytes }: SocketLimits,
): Reason | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return { why: `The headers are larger than ${headerBytes} bytes` }
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') return undefined
  return {
    why: `The request has not arrived within ${headersMs / 1000} s, its body within ${requestMs / 1000} s`,
  }
}
