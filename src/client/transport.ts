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

/** The url of a daemon and the token to send. */
export type Address = {
  readonly url: string
  readonly token: string | null
  /** Whether the daemon has to prove first that it knows the token. Needed for a stored url: another program may use its port. */
  readonly requiresProof?: true
}

/** Time limits for making a connection and for the daemon's proof. */
const CONNECT_MS = 5_000
const PROOF_MS = 5_000
/** How long a request may be unanswered before the program's health is checked, and how long the check may take. */
const SILENCE_MS = 10_000
const HEALTH_MS = 120_000
/** Size limits for responses, in bytes. */
const MAX_PROOF_BYTES = 4_096
const MAX_BYTES = 256 * 1_024 * 1_024

type Outgoing = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query, below the daemon's url. */
  readonly path: string
  readonly body?: unknown
  /** A form, instead of a JSON body. */
  readonly form?: string | undefined
  readonly headers?: OutgoingHttpHeaders
  readonly signal?: AbortSignal | undefined
  /** Keeps the connection open. The default agent closes connections that are idle for some seconds. */
  readonly agent?: Agent
  /** Size limit for the response in bytes, 256 MiB by default. */
  readonly maxBytes?: number
}

/**
 * Sends a request and returns the JSON of the response.
 * @throws Refused if the daemon responds with an error
 * @throws Unreachable if no daemon answers
 */
export async function requestJson<ResponseBody>(address: Address, outgoing: Outgoing): Promise<ResponseBody> {
  return readJson<ResponseBody>(address, await open(address, outgoing), outgoing.maxBytes)
}

/** Reads the rest of a response as JSON. @throws Unreachable */
export async function readJson<ResponseBody>(
  address: Address,
  response: IncomingMessage,
  maxBytes = MAX_BYTES,
): Promise<ResponseBody> {
  return parse<ResponseBody>(address, await readAll(address, response, maxBytes))
}

/**
 * Sends a request and returns the response as soon as its headers have arrived.
 * @throws Refused, Unreachable: see requestJson
 */
export async function open(address: Address, outgoing: Outgoing): Promise<IncomingMessage> {
  if (address.requiresProof) await demandProof(address, outgoing.signal)
  const response = await sendWithHealthCheck(address, outgoing)
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return response
  const body = await readJson<ErrorBody>(address, response, outgoing.maxBytes)
  if (typeof body.error?.message !== 'string') throw notPaytwin(address)
  const { message, code, mistakes } = body.error
  throw new Refused({ status, code: code ?? null, message, mistakes, body })
}

/**
 * Sends a request. If no response arrives within 10 seconds, checks the program's health, which a daemon answers also during a long
 * advance, and fails if that gets no response within 120 seconds either.
 */
async function sendWithHealthCheck(address: Address, outgoing: Outgoing): Promise<IncomingMessage> {
  const silence = new AbortController()
  const answered = new AbortController()
  let timer = setTimeout(() => {
    timer = setTimeout(() => silence.abort(), HEALTH_MS)
    const check = { method: 'GET', path: '/_paytwin/health', signal: answered.signal } as const
    const health = send({ url: address.url, token: null }, check).then((response) => response.resume())
    // A failed check does not end the request, which then fails by itself.
    health.catch(() => undefined).then(() => clearTimeout(timer))
  }, SILENCE_MS)
  try {
    return await send(address, { ...outgoing, signal: anySignal(silence.signal, outgoing.signal) })
  } catch (error) {
    throw silence.signal.aborted ? unanswered(address.url) : error
  } finally {
    clearTimeout(timer)
    answered.abort()
  }
}

const anySignal = (signal: AbortSignal, other: AbortSignal | undefined) =>
  other ? AbortSignal.any([signal, other]) : signal

const unanswered = (url: string) =>
  new Unreachable({
    url,
    message: `The program at ${url} has not responded, nor to a check of its health within ${HEALTH_MS / 1_000} seconds. The request may have been carried out`,
    isConnected: true,
  })

/** Checks that the daemon knows the token. Done for each request, because another program may take over the port at any time. */
async function demandProof({ url, token }: Address, signal: AbortSignal | undefined): Promise<void> {
  const nonce = newNonce()
  const path = `/_paytwin/health?nonce=${nonce}`
  const late = AbortSignal.timeout(PROOF_MS)
  const outgoing = {
    method: 'GET',
    path,
    signal: anySignal(late, signal),
    maxBytes: MAX_PROOF_BYTES,
  } as const
  const health = requestJson<{ proof?: unknown }>({ url, token: null }, outgoing)
  const { proof } = await health.catch((error: unknown) => {
    if (late.aborted && !signal?.aborted) throw silent(url)
    throw error instanceof Refused ? unproven(url) : error
  })
  if (token !== null && !isProof(proof, { url, token, nonce })) throw unproven(url)
}

const unproven = (url: string) =>
  new Unreachable({
    url,
    message: `The program at ${url} does not know the admin token; the token was not sent. If the daemon was started with another token, set PAYTWIN_ADMIN_TOKEN. If it was killed, start it again`,
    isConnected: true,
    isUnproven: true,
  })

const silent = (url: string) =>
  new Unreachable({
    url,
    message: `The program at ${url} did not prove within ${PROOF_MS / 1_000} seconds that it knows the admin token; the token was not sent. If the daemon was killed, start it again`,
    isConnected: true,
  })

type ErrorBody = { error?: { message?: string; code?: string; mistakes?: readonly Mistake[] } }

/**
 * Sends a request without fetch. fetch fails if a response takes five minutes, as a long advance can, and loading it takes
 * 20 ms.
 */
function send({ url, token }: Address, outgoing: Outgoing): Promise<IncomingMessage> {
  const target = new URL(url.replace(/\/+$/, '') + outgoing.path)
  const body = outgoing.form ?? (outgoing.body === undefined ? undefined : JSON.stringify(outgoing.body))
  const type = outgoing.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sent = request(target, {
      method: outgoing.method,
      signal: outgoing.signal,
      agent: outgoing.agent,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': type }),
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

/** Limits the time for connecting. Once connected, a response may take as long as an advance. */
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
      // Leaving the loop destroys the response, and with it the connection.
      if (size > maxBytes) break
    }
  } catch (error) {
    throw unreachable(address.url, error)
  }
  if (size > maxBytes) throw notPaytwin(address)
  return Buffer.concat(chunks).toString('utf8')
}

function parse<ResponseBody>(address: Address, text: string): ResponseBody {
  try {
    const body: unknown = JSON.parse(text)
    // Every body of the API has livemode (docs/contract/requests.md#environment). A body without it is another program's.
    if (typeof body === 'object' && body !== null && 'livemode' in body) return body as ResponseBody
  } catch {
    // Not JSON: reported below.
  }
  throw notPaytwin(address)
}

const notPaytwin = ({ url }: Address) =>
  new Unreachable({ url, message: `The program at ${url} is not a paytwin daemon`, isConnected: true })

/** Error codes of connections that were never made. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
])

/** Converts a connection error to Unreachable. */
export function unreachable(url: string, error: unknown): Unreachable {
  const { message, code = message } = error as { message: string; code?: string }
  return NEVER_CONNECTED.has(code)
    ? new Unreachable({ url, message: `No paytwin daemon answers at ${url} (${code})`, isConnected: false })
    : new Unreachable({ url, message: `The connection to ${url} was lost (${code})`, isConnected: true })
}
