import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Sandbox } from './sandbox.ts'

// Their properties are replaced, so these must be the modules themselves.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')
const { syncBuiltinESMExports } = process.getBuiltinModule('node:module')
const { urlToHttpOptions } = process.getBuiltinModule('node:url')

type Callback = ((response: IncomingMessage) => void) | undefined
type Given = readonly unknown[]

/** Options that apply to TLS, or to another host. */
const DROPPED = new Set([
  ...['auth', 'ca', 'createConnection', 'defaultPort', 'family', 'lookup', 'servername', 'socketPath'],
  '_defaultAgent',
])

type Originals = { readonly http: typeof http.request; readonly https: typeof https.request }

/** Redirects `request` and `get` of node:https and node:http for requests to Stripe's API, for CommonJS and ES modules. */
export function redirectHttps(sandbox: Sandbox): void {
  const originals: Originals = { http: http.request, https: https.request }
  redirect(https, originals.https, { sandbox, originals })
  redirect(http, originals.http, { sandbox, originals })
  syncBuiltinESMExports()
}

function redirect(
  module: typeof http | typeof https,
  original: Originals['http' | 'https'],
  { sandbox, originals }: { readonly sandbox: Sandbox; readonly originals: Originals },
): void {
  const request = (...given: Given): ClientRequest => {
    const { options, callback } = optionsOf(given)
    const target = sandbox.urlOf(String(options.hostname || options.host || ''), options.path || '/')
    return target
      ? send(target, options, { callback, originals })
      : Reflect.apply(original, module, [...given])
  }
  const get = (...given: Given): ClientRequest => {
    const sent = request(...given)
    sent.end()
    return sent
  }
  Object.assign(module, { request, get })
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
  { protocol, hostname, port, pathname, search }: URL,
  options: RequestOptions,
  { callback, originals }: { readonly callback: Callback; readonly originals: Originals },
): ClientRequest {
  const to: RequestOptions = {
    ...Object.fromEntries(Object.entries(options).filter(([name]) => !DROPPED.has(name))),
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    host: hostname,
    port,
    path: pathname + search,
    headers: withoutHost(options.headers),
  }
  if (protocol === 'https:') return originals.https(to, callback)
  const sent = originals.http({ ...to, agent: agentOf(options.agent) }, callback)
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

const agents = new WeakMap<HttpsAgent, InstanceType<typeof http.Agent>>()

/** Returns the agent for connections without TLS that has the options of the given one, and keeps connections as it does. */
function agentOf(given: RequestOptions['agent']) {
  if (given === false) return false
  const like = given instanceof https.Agent ? given : https.globalAgent
  const known = agents.get(like)
  if (known) return known
  const { maxSockets, maxFreeSockets, options } = like
  const { keepAlive, keepAliveMsecs, timeout } = options
  const made = new http.Agent({ keepAlive, keepAliveMsecs, maxSockets, maxFreeSockets, timeout })
  agents.set(like, made)
  return made
}
