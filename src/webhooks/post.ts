import http, { type IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import { keptPartOf } from './kept-body.ts'
import { PlainAgent } from './plain-agent.ts'
import type { Receiving } from './receiving.ts'

const MAX_HEADER_BYTES = 16_384
/** The number of informational responses (1xx) that may precede a response. */
const MAX_INFORMATIONAL = 100
/** The maximum number of bytes read from a receiver: far more than headers and the kept part of a body need. */
const MAX_BYTES = 65_536
/** The number of bytes of a body that are given to a connection at a time. */
const MAX_SLICE = 65_536
/** Error codes of a connection that the receiver closed. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE'])

export type Post = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer<ArrayBuffer>
  readonly signal: AbortSignal
  /** Keeps connections open for later posts. Without an agent, the connection is closed after the response. */
  readonly agent?: http.Agent
  /** How what the receiver sends is processed. */
  readonly receiving?: Receiving
  /** Resolves the host name when a connection is made; getaddrinfo by default. */
  readonly lookup?: LookupFunction
}

/** The status of a response, and the beginning of its body. */
export type WebhookResponse = { readonly status: number; readonly body: string }

/** A reused connection was closed before a response arrived. The receiver may be fine, so the post can be sent again. */
export class KeptConnectionClosed extends Error {}

/**
 * Posts a body to a receiver. Redirects are not followed. Fails if the receiver sends too many bytes, which Node does
 * not limit: informational responses, chunk extensions and trailers.
 * @throws KeptConnectionClosed; Error for any other reason why there is no response
 * See docs/contract/events-and-webhooks.md#delivery-attempts.
 */
export async function post(url: URL, { body, agent, ...given }: Post): Promise<WebhookResponse> {
  const { request, Agent } = await protocolOf(url)
  const using = agent ?? new Agent()
  const options = { ...given, headers: { ...given.headers, 'content-length': body.length } }
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, method: 'POST', agent: using, maxHeaderSize: MAX_HEADER_BYTES })
    let received: IncomingMessage | undefined
    limitReading(sent)
    const refuseUpgrade = ({ socket }: IncomingMessage) => {
      socket.destroy()
      reject(new Error('The receiver wants to switch to another protocol'))
    }
    sent.once('upgrade', refuseUpgrade)
    sent.once('response', (response) => {
      if (response.statusCode === 101) return refuseUpgrade(response)
      received = response
      keptPartOf(response)
        .then((kept) => resolve({ status: response.statusCode ?? 0, body: kept }), reject)
        // What the receiver has not read would stay in memory until the connection ends.
        .finally(() => sent.writableFinished || sent.destroy())
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // An error after a complete response does not change the response.
      if (received?.complete) return
      const isLost = sent.reusedSocket && !received && CLOSED.has(error.code)
      reject(isLost ? new KeptConnectionClosed() : error)
    })
    write(sent, body)
  })
}

/** Writes a body as the receiver reads it: TLS encrypts, and so copies, what it is given. */
function write(sent: http.ClientRequest, body: Buffer): void {
  const rest = body.subarray(MAX_SLICE)
  if (rest.length === 0) sent.end(body)
  else if (sent.write(body.subarray(0, MAX_SLICE))) write(sent, rest)
  else sent.once('drain', () => write(sent, rest))
}

/** Returns how requests to a receiver are sent. TLS takes a while to load, and many receivers do not use it. */
export async function protocolOf({ protocol }: URL): Promise<Protocol> {
  if (protocol !== 'https:') return { request: http.request, Agent: PlainAgent }
  const [{ request }, { SecureAgent }] = await Promise.all([
    import('node:https'),
    import('./secure-agent.ts'),
  ])
  return { request, Agent: SecureAgent }
}

type Protocol = {
  readonly request: typeof http.request
  readonly Agent: new (options?: http.AgentOptions) => http.Agent
}

/** Aborts a request when the receiver sends too much. */
function limitReading(sent: http.ClientRequest): void {
  let informational = 0
  sent.on('information', () => {
    informational += 1
    if (informational > MAX_INFORMATIONAL)
      sent.destroy(
        new Error(`The receiver sent more than ${MAX_INFORMATIONAL} informational responses (1xx)`),
      )
  })
  sent.once('socket', (socket) => {
    let bytes = 0
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BYTES)
        sent.destroy(
          new Error(`The receiver sent more than ${MAX_BYTES / 1_024} KiB that are not part of a response`),
        )
    }
    socket.on('data', count)
    sent.once('close', () => socket.off('data', count))
  })
}
