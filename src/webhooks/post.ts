import http, { type IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'

/** How much of an answer is kept, in bytes. See docs/contract/events-and-webhooks.md#deliveries. */
const MAX_KEPT_BYTES = 1_024
const MAX_HEADER_BYTES = 16_384
/** The number of informational responses (1xx) that may precede a response. */
const MAX_INFORMATIONAL = 100
/** How much is read of what a receiver sends after a request, in bytes: far more than the answer that is kept, with its headers. */
const MAX_BYTES = 65_536
/** Codes of errors of a connection that the other side has closed. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE'])

export type Post = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
  /** Keeps connections for the next post; without one, the connection is closed after the answer. */
  readonly agent?: http.Agent | false
  /** Resolves the host name when a connection is made; getaddrinfo by default. */
  readonly lookup?: LookupFunction
}

/** The status of an answer, and the beginning of its body. */
export type Answer = { readonly status: number; readonly body: string }

/** A kept connection was closed before an answer came: this says nothing about the receiver. */
export class KeptConnectionClosed extends Error {}

/**
 * Posts a body to a receiver. Redirects are answers like any other. Reading ends where the receiver sends too much,
 * whatever it consists of: informational answers, chunk extensions and trailers have no limit of their own.
 * @throws KeptConnectionClosed; Error for any other reason why there is no answer
 * See docs/contract/events-and-webhooks.md#delivery-attempts.
 */
export async function post(url: URL, { body, agent = false, ...options }: Post): Promise<Answer> {
  // TLS takes a while to load, and many receivers do without.
  const { request } = url.protocol === 'https:' ? await import('node:https') : http
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, method: 'POST', agent, maxHeaderSize: MAX_HEADER_BYTES })
    let answer: IncomingMessage | undefined
    limitReading(sent)
    const refuseUpgrade = ({ socket }: IncomingMessage) => {
      socket.destroy()
      reject(new Error('The receiver wants to switch to another protocol'))
    }
    sent.once('upgrade', refuseUpgrade)
    sent.once('response', (response) => {
      if (response.statusCode === 101) return refuseUpgrade(response)
      answer = response
      beginningOf(response).then((kept) => resolve({ status: response.statusCode ?? 0, body: kept }), reject)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // What follows a complete answer ends the connection, and changes nothing about the answer.
      if (answer?.complete) return
      const isLost = sent.reusedSocket && !answer && CLOSED.has(error.code)
      reject(isLost ? new KeptConnectionClosed() : error)
    })
    sent.end(body)
  })
}

/** Breaks a request off when the receiver sends too much. */
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

/** What is worth keeping of an answer; the rest is not read. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop destroys the response, and with it the connection.
    if (size > MAX_KEPT_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES).toString('utf8')
}
