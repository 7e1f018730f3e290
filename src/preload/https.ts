import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Direct } from './direct.ts'
import { refusalOf, type Sandbox, wholeUrlOf } from './sandbox.ts'

// Their properties are replaced, so these must be the modules themselves.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')
const { syncBuiltinESMExports } = process.getBuiltinModule('node:module')
const { urlToHttpOptions } = process.getBuiltinModule('node:url')

type Callback = ((response: IncomingMessage) => void) | undefined
type Given = readonly unknown[]

/** Options that do not apply, because the request goes to another host, without TLS. */
const DROPPED = new Set([
  ...['ca', 'createConnection', 'defaultPort', 'family', 'lookup', 'servername', 'socketPath'],
  '_defaultAgent',
])

/** Redirects `request` and `get` of node:https and node:http for requests to Stripe's API, for CommonJS and ES modules. */
export function redirectHttps(sandbox: Sandbox, direct: Direct): void {
  redirect(https, sandbox, direct)
  redirect(http, sandbox, direct)
  syncBuiltinESMExports()
}

function redirect(module: typeof http | typeof https, sandbox: Sandbox, direct: Direct): void {
  const original = module.request
  const request = (...given: Given): ClientRequest => {
    const { options, callback } = optionsOf(given)
    const { host, path } = addressOf(options)
    const target = sandbox.urlOf(host, path)
    if (target) return send(target, options, { callback, direct })
    const sent: ClientRequest = Reflect.apply(original, module, [...given])
    // A tunnel through a proxy may begin on a connection that is kept open.
    const refusal = sent.method === 'CONNECT' ? refusalOf(path) : undefined
    return refusal ? sent.destroy(refusal) : sent
  }
  const get = (...given: Given): ClientRequest => {
    const sent = request(...given)
    sent.end()
    return sent
  }
  Object.assign(module, { request, get })
}

/** Returns the host and path that a request is for. */
function addressOf({ hostname, host, path }: RequestOptions): { host: string; path: string } {
  const given = path || '/'
  const url = wholeUrlOf(given)
  return url
    ? { host: url.host, path: url.pathname + url.search }
    : { host: String(hostname || host || ''), path: given }
}

/** Reads the arguments of `request`: a URL, options, both or none, and a callback. */
function optionsOf(given: Given): { readonly options: RequestOptions; readonly callback: Callback } {
  const [first, second] = given
  const url = typeof first === 'string' ? new URL(first) : isUrl(first) ? first : undefined
  const further = url ? second : first
  return {
    options: {
      ...(url && urlToHttpOptions(url)),
      ...(typeof further === 'object' ? (further as RequestOptions) : undefined),
    },
    callback: given.find((each): each is (response: IncomingMessage) => void => typeof each === 'function'),
  }
}

/** Recognizes a URL as node:https does: also that of another context or library, such as jsdom. */
function isUrl(given: unknown): given is URL {
  const { href, protocol, auth, path } = (given ?? {}) as Partial<URL> & RequestOptions
  return Boolean(href && protocol && auth === undefined && path === undefined)
}

function send(
  target: URL,
  options: RequestOptions,
  { callback, direct }: { readonly callback: Callback; readonly direct: Direct },
): ClientRequest {
  const to: RequestOptions = {
    ...Object.fromEntries(Object.entries(options).filter(([name]) => !DROPPED.has(name))),
    headers: withoutHost(options.headers),
  }
  const sent = direct.request(target, to, callback)
  if (target.protocol === 'https:') return sent
  // The SDK writes its request when the TLS connection is established.
  sent.prependListener('socket', (socket: Socket) => {
    if (socket.connecting) socket.once('connect', () => socket.emit('secureConnect'))
  })
  return sent
}

/** Returns headers without the host, so that the request names the daemon. */
function withoutHost(headers: RequestOptions['headers']): RequestOptions['headers'] {
  if (!headers || Array.isArray(headers)) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'host'))
}
