import type { IncomingMessage, ServerResponse } from 'node:http'
import { assert } from './core/errors.ts'
import type { App } from './http/app.ts'
import type { Incoming, Reply } from './http/incoming.ts'
import { isResponse } from './http/respond.ts'
import { wantsStream } from './http/stream.ts'

/** The largest body that is read here, in bytes. Larger ones are refused by way of hono. */
const MAX_BODY_BYTES = 1_048_576

/** Paths without anything encoded or unusual, of which nobody can say that hono would read them in another way. */
const PLAIN_PATH = /^\/v1(?:\/[A-Za-z0-9_-]+)+$/

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE'])

/**
 * Serves a request of /v1 from Node's request to Node's response. Hono's router says which route is asked for; only its
 * context, and with it the Request and Response of `fetch`, are left out: they take as long as everything else about reading
 * an object. Whatever is written in an unusual way is left to hono, which answers it in the same words.
 * @returns undefined when it does not serve the request, which is then untouched
 */
export function serveDirectly(
  { app, serves }: Pick<App, 'app' | 'serves'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> | undefined {
  const { url = '', method = '' } = request
  const path = pathOf(url)
  if (!METHODS.has(method) || !PLAIN_PATH.test(path) || !isPlain(request)) return undefined
  const [[first] = [], values] = app.router.match(method, path)
  const serve = first && serves.get(first[0][0])
  if (!serve) return undefined
  const place = first[1].id
  const id = typeof place === 'number' ? values?.[place] : place
  const incoming = new DirectRequest(request, response, { path, id })
  return serve(incoming, () => bodyOf(request)).then((reply) => answer(response, reply))
}

const pathOf = (url: string): string => {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

/** Whether a request has each header once, a body of a known size that is not too large, and no wish for a stream. */
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
  readonly #id: string | undefined

  constructor(
    { method = '', url = '', headers }: IncomingMessage,
    outgoing: ServerResponse,
    { path, id }: { path: string; id: string | undefined },
  ) {
    this.method = method
    this.url = url
    this.path = path
    this.env = { outgoing }
    this.#headers = headers
    this.#id = id
  }

  get req(): this {
    return this
  }

  header(name: string): string | undefined {
    const value = this.#headers[name]
    return typeof value === 'string' ? value : undefined
  }

  param(name: string): string | undefined {
    return name === 'id' ? this.#id : undefined
  }
}

const decoder = new TextDecoder()

/** @throws Error when the caller hangs up in the middle of it */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', resolve)
    request.once('error', reject)
    request.once('close', () => reject(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })))
  })
  return decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
}

function answer(response: ServerResponse, reply: Reply | Response): void {
  assert(!isResponse(reply), 'streams and pages are served by way of hono')
  const { status, headers, text } = reply
  const bytes = Buffer.byteLength(text)
  response.writeHead(status, [...headers, 'Content-Length', String(bytes)])
  // Where each character is a byte, that is quicker to write.
  response.end(text, bytes === text.length ? 'latin1' : 'utf8')
}
