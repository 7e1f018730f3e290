import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { TLSSocket } from 'node:tls'
import { Refused, Unreachable } from './errors.ts'
import { isProof, newNonce } from './proof.ts'
import type { Mistake } from './types.ts'

/** Where a daemon is, and how to prove oneself to it. */
export type Address = {
  readonly url: string
  readonly token: string | null
  /** Whether it has to prove first that it knows the token: where it was written down, another may listen by now. */
  readonly mustProve?: true
}

/** How long a connection may take to be made, and a daemon to prove itself: it does so at once. */
const CONNECT_MS = 5_000
const PROOF_MS = 5_000
/** How large answers may be, in bytes. */
const MAX_PROOF_BYTES = 4_096
const MAX_BYTES = 256 * 1_024 * 1_024

type Outgoing = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query, below the daemon's url. */
  readonly path: string
  readonly body?: unknown
  readonly headers?: OutgoingHttpHeaders
  readonly signal?: AbortSignal | undefined
  /** Keeps the connection; the default one closes those that are idle for some seconds. */
  readonly agent?: Agent
  /** How large the answer may be; 256 MiB unless given. */
  readonly maxBytes?: number
}

/**
 * Sends a request and gives the answer's JSON.
 * @throws Refused, when the daemon answers with an error
 * @throws Unreachable, when no daemon does
 */
export async function requestJson<Answer>(address: Address, outgoing: Outgoing): Promise<Answer> {
  return readJson<Answer>(address, await open(address, outgoing), outgoing.maxBytes)
}

/** Reads the rest of an answer as JSON. @throws Unreachable */
export async function readJson<Answer>(
  address: Address,
  response: IncomingMessage,
  maxBytes = MAX_BYTES,
): Promise<Answer> {
  return parse<Answer>(address, await readAll(address, response, maxBytes))
}

/**
 * Sends a request and gives the answer while it is still being written.
 * @throws Refused, Unreachable: see requestJson
 */
export async function open(address: Address, outgoing: Outgoing): Promise<IncomingMessage> {
  if (address.mustProve) await demandProof(address, outgoing.signal)
  const response = await send(address, outgoing)
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return response
  const answer = await readJson<ErrorBody>(address, response, outgoing.maxBytes)
  if (typeof answer.error?.message !== 'string') throw stranger(address)
  const { message, code, mistakes } = answer.error
  throw new Refused({ status, code: code ?? null, message, mistakes })
}

/** Each time: a daemon may be gone, and its port another's, between one request and the next. */
async function demandProof({ url, token }: Address, signal: AbortSignal | undefined): Promise<void> {
  const nonce = newNonce()
  const path = `/_paytwin/health?nonce=${nonce}`
  const late = AbortSignal.timeout(PROOF_MS)
  const outgoing = {
    method: 'GET',
    path,
    signal: signal ? AbortSignal.any([signal, late]) : late,
    maxBytes: MAX_PROOF_BYTES,
  } as const
  const asked = requestJson<{ proof?: unknown }>({ url, token: null }, outgoing)
  const { proof } = await asked.catch((error: unknown) => {
    if (late.aborted && !signal?.aborted) throw silent(url)
    throw error instanceof Refused ? unproven(url) : error
  })
  if (token !== null && !isProof(proof, { url, token, nonce })) throw unproven(url)
}

const unproven = (url: string) =>
  new Unreachable({
    url,
    message: `What answers at ${url} does not know the admin token of this data folder, and was not told it. If the daemon was started with another token, set PAYTWIN_ADMIN_TOKEN; if it was killed, start it again`,
    isConnected: true,
    isUnproven: true,
  })

const silent = (url: string) =>
  new Unreachable({
    url,
    message: `What listens at ${url} has not proven within ${PROOF_MS / 1_000} seconds that it knows the admin token of this data folder, and was not told it. If the daemon was killed, start it again`,
    isConnected: true,
  })

type ErrorBody = { error?: { message?: string; code?: string; mistakes?: readonly Mistake[] } }

/**
 * fetch is not used: it gives up on an answer that takes five minutes, which a long advance may, and costs a command some
 * 20 ms at its start.
 */
function send({ url, token }: Address, outgoing: Outgoing): Promise<IncomingMessage> {
  const target = new URL(url.replace(/\/+$/, '') + outgoing.path)
  const body = outgoing.body === undefined ? undefined : JSON.stringify(outgoing.body)
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sent = request(target, {
      method: outgoing.method,
      signal: outgoing.signal,
      agent: outgoing.agent,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        'content-length': Buffer.byteLength(body ?? ''),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...outgoing.headers,
      },
    })
    limitConnecting(sent)
    sent.once('response', resolve)
    sent.once('error', (error) => reject(unreachable(url, error)))
    sent.end(body)
  })
}

/** Gives up when no connection comes about. Once there is one, an answer may take as long as an advance. */
function limitConnecting(sent: ClientRequest): void {
  const late = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
  const limit = AbortSignal.timeout(CONNECT_MS)
  const giveUp = () => sent.destroy(late)
  limit.addEventListener('abort', giveUp)
  const stop = () => limit.removeEventListener('abort', giveUp)
  sent.once('close', stop).once('socket', (socket) => {
    if (!socket.connecting) stop()
    else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', stop)
  })
}

async function readAll(address: Address, response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      size += chunk.length
      // Leaving the loop destroys the answer, and with it the connection.
      if (size > maxBytes) break
    }
  } catch (error) {
    throw unreachable(address.url, error)
  }
  if (size > maxBytes) throw stranger(address)
  return Buffer.concat(chunks).toString('utf8')
}

function parse<Answer>(address: Address, text: string): Answer {
  try {
    const answer: unknown = JSON.parse(text)
    // Every body of the API says so (docs/contract/requests.md#environment): whatever does not is something else on that port.
    if (typeof answer === 'object' && answer !== null && 'livemode' in answer) return answer as Answer
  } catch {
    // No JSON: reported just below.
  }
  throw stranger(address)
}

const stranger = ({ url }: Address) =>
  new Unreachable({ url, message: `What answers at ${url} is not a paytwin daemon`, isConnected: true })

/** Codes of a connection that never came about. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
])

/** What a broken connection means to the caller. */
export function unreachable(url: string, error: unknown): Unreachable {
  const { message, code = message } = error as { message: string; code?: string }
  return NEVER_CONNECTED.has(code)
    ? new Unreachable({ url, message: `No paytwin daemon answers at ${url} (${code})`, isConnected: false })
    : new Unreachable({ url, message: `The connection to ${url} was lost (${code})`, isConnected: true })
}
