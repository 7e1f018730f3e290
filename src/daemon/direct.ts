import type { IncomingMessage, ServerResponse } from 'node:http'
import { assert } from '../core/errors.ts'
import type { App } from '../http/app.ts'
import type { Incoming, Reply } from '../http/incoming.ts'
import { readNodeBody } from '../http/node-body.ts'
import { MAX_BODY_BYTES } from '../http/request.ts'
import { isResponse } from '../http/respond.ts'
import { type Match, RouteMemory } from '../http/route-memory.ts'
import { wantsStream } from '../http/stream.ts'

/** Paths of plain characters, which hono and this module parse in the same way. */
const PLAIN_PATH = /^\/v1(?:\/[A-Za-z0-9_-]+)+$/

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE'])

/**
 * Serves /v1 requests directly from Node's request to Node's response. It uses hono's router, but not hono's context with the
 * Request and Response of `fetch`, which take as long as everything else in reading an object. Hono serves unusual requests,
 * with the same responses.
 */
export class DirectServer {
  readonly #routes: RouteMemory

  constructor({ app, serves }: Pick<App, 'app' | 'serves'>) {
    this.#routes = new RouteMemory(app, serves)
  }

  /** Serves a request. @returns undefined if hono must serve it; then the request is unread */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
    const { url = '', method = '' } = request
    const path = pathOf(url)
    if (!METHODS.has(method) || !PLAIN_PATH.test(path) || !isPlain(request)) return undefined
    const match = this.#routes.match(method, path)
    if (!match) return undefined
    const incoming = new DirectRequest(request, response, { path, param: match.param })
    return match
      .serve(incoming, (reading) => readNodeBody(request, reading))
      .then((reply) => send(response, reply))
  }
}

const pathOf = (url: string): string => {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

/** Whether a request has each header once and a body of a known size within the limit, and does not ask for a stream. */
function isPlain({ url = '', method, headers, rawHeaders }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? '0'
  return (
    Object.keys(headers).length * 2 === rawHeaders.length &&
    headers['transfer-encoding'] === undefined &&
    (method === 'GET' ? length === '0' : Number(length) <= MAX_BODY_BYTES) &&
    !wantsStream(headers.accept) &&
    !url.includes('#')
  )
}

class DirectRequest implements Incoming {
  readonly method: string
  readonly url: string
  readonly path: string
  readonly env: { readonly outgoing: ServerResponse }
  readonly #headers: IncomingMessage['headers']
  readonly param: Match['param']

  constructor(
    { method = '', url = '', headers }: IncomingMessage,
    outgoing: ServerResponse,
    { path, param }: { readonly path: string; readonly param: Match['param'] },
  ) {
    this.method = method
    this.url = url
    this.path = path
    this.env = { outgoing }
    this.#headers = headers
    this.param = param
  }

  get req(): this {
    return this
  }

  header(name: string): string | undefined {
    const value = this.#headers[name]
    return typeof value === 'string' ? value : undefined
  }
}

function send(response: ServerResponse, reply: Reply | Response): void {
  assert(!isResponse(reply), 'streams and pages are served by hono')
  const { status, headers, text } = reply
  const bytes = Buffer.byteLength(text)
  response.writeHead(status, [...headers, 'Content-Length', String(bytes)])
  // latin1 is faster to write if each character is one byte.
  response.end(text, bytes === text.length ? 'latin1' : 'utf8')
}
