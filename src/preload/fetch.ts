import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Direct } from './direct.ts'
import type { Sandbox } from './sandbox.ts'

const { Readable } = process.getBuiltinModule('node:stream')

/**
 * Redirects `fetch` for requests to Stripe's API. They are sent with node:http, because the application or NODE_USE_ENV_PROXY
 * can have set a proxy for all requests of `fetch`.
 */
export function redirectFetch(sandbox: Sandbox, direct: Direct): void {
  const original = globalThis.fetch
  if (typeof original !== 'function') return
  const redirected: typeof fetch = async (input, init) => {
    const url = urlOf(input)
    const target = url && sandbox.urlOf(url.host, url.pathname + url.search)
    if (!target) return original(input, init)
    const { dispatcher: _, ...options } = init ?? {}
    const request = new Request(input, options)
    return send(request, { input, target, direct })
  }
  globalThis.fetch = Object.defineProperty(redirected, 'name', { value: 'fetch' })
}

function urlOf(input: Parameters<typeof fetch>[0]): URL | undefined {
  const text = input instanceof Request ? input.url : String(input)
  return URL.canParse(text) ? new URL(text) : undefined
}

type Sending = { readonly input: unknown; readonly target: URL; readonly direct: Direct }

/**
 * The requests that are being answered, and what they were copied from. Node passes an abort of the caller's signal on to that
 * of a request, and of a copy of the request, only as long as they exist.
 */
const requestsOf = new WeakMap<ClientRequest, readonly unknown[]>()

/** Sends a request of `fetch`. @throws what `fetch` throws: TypeError with a cause, or the reason of the request's signal */
async function send(request: Request, { input, target, direct }: Sending): Promise<Response> {
  const { method, signal } = request
  signal.throwIfAborted()
  const body = request.body === null ? undefined : await bytesOf(request)
  const length = body && { 'content-length': String(body.length) }
  const { host: _, ...given } = Object.fromEntries(request.headers)
  const headers = { ...given, ...length }
  return new Promise<Response>((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause }))
    const sent = direct.request(target, { method, headers, signal }, (response) => {
      try {
        resolve(responseOf(response, request, target))
      } catch (error) {
        fail(error)
      }
    })
    requestsOf.set(sent, [input, request])
    sent.on('error', fail).end(body)
  })
}

async function bytesOf(request: Request): Promise<Buffer> {
  const { signal } = request
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    return Buffer.from(await Promise.race([request.arrayBuffer(), aborted]))
  } catch (cause) {
    throw signal.aborted ? signal.reason : new TypeError('fetch failed', { cause })
  }
}

/** Responses with these statuses have no body. */
const EMPTY = new Set([101, 103, 204, 205, 304])

function responseOf(incoming: IncomingMessage, { method, signal }: Request, { href }: URL): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = incoming
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  const isEmpty = method === 'HEAD' || EMPTY.has(status)
  if (isEmpty) incoming.resume()
  const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream)
  const abort = () => void incoming.destroy(signal.reason ?? new Error('aborted'))
  signal.addEventListener('abort', abort)
  incoming.once('close', () => signal.removeEventListener('abort', abort))
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: href })
}
