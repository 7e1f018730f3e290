import { nextTurn } from '../engine/machine/gate.ts'
import { RequestRefused } from './refused.ts'

/** Handles a request, given a replacement of its socket. */
export type FetchHandler = (
  request: Request,
  socket: { outgoing: { destroy(): void } },
) => Response | Promise<Response>

/** A client of the API: `url` is the base of paths, `secret` an API key or the admin token. */
export type Caller = { readonly handle: FetchHandler; readonly url: string; readonly secret: string }

/** The maximum time that closing waits for calls, in milliseconds, because the body of a call may never end. */
const CALL_TIMEOUT_MS = 1_500

/** The requests that are handled in this process and not answered yet. */
export class CallsUnderWay {
  readonly #responses = new Set<Promise<Response>>()

  /** Adds a request until it is answered. @returns its response */
  async add(answered: Response | Promise<Response>): Promise<Response> {
    const response = Promise.resolve(answered)
    this.#responses.add(response)
    try {
      return await response
    } finally {
      this.#responses.delete(response)
    }
  }

  /** Resolves when all requests are answered, or after 1.5 seconds. */
  async ended(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CALL_TIMEOUT_MS)
    })
    await Promise.race([Promise.allSettled(this.#responses), timeout])
    clearTimeout(timer)
  }
}

/** Sends a request like the global fetch, but handles it in this process. */
export async function callInProcess(
  { handle, url, secret }: Caller,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const request = input instanceof Request ? new Request(input, init) : new Request(new URL(input, url), init)
  if (!request.headers.has('authorization')) request.headers.set('authorization', `Bearer ${secret}`)
  request.headers.set('host', new URL(url).host)
  const { signal } = request
  signal.throwIfAborted()
  let isLost = false
  const answered = Promise.resolve(handle(request, { outgoing: { destroy: () => (isLost = true) } }))
  try {
    const response = await unlessAborted(signal, answered)
    // As over a socket, the response arrives in a later turn. So a loop that polls the clock lets it advance.
    await nextTurn()
    signal.throwIfAborted()
    if (isLost) throw new TypeError('fetch failed', { cause: connectionReset() })
    return untilAborted(handle, [request, input], response)
  } catch (error) {
    // An event stream that nobody reads would keep its place. An error of the handler comes too late, or is this one.
    answered.then(({ body }) => body?.cancel()).catch(() => undefined)
    throw error
  }
}

/**
 * The requests of the open event streams of a sandbox, and what they were copied from. Node passes an abort of the caller's signal
 * on to that of a request, and of a copy of the request, only as long as they exist.
 */
const requestsOfStreams = new WeakMap<FetchHandler, Set<readonly [Request, unknown]>>()

/**
 * Makes the body of an event stream, which else never ends, end with the signal, also if nobody reads it.
 * @param requests - the request, and what it was copied from
 */
function untilAborted(
  handle: FetchHandler,
  requests: readonly [Request, unknown],
  response: Response,
): Response {
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  if (!isStream || !response.body) return response
  const all = requestsOfStreams.get(handle) ?? new Set()
  requestsOfStreams.set(handle, all)
  all.add(requests)
  const body = endingWith(requests[0].signal, response.body, () => all.delete(requests))
  return new Response(body, response)
}

/**
 * Passes a stream on until a signal ends it. `pipeThrough` would wait for a reader first.
 * @param ended - called when the stream has ended
 */
function endingWith(
  signal: AbortSignal,
  source: ReadableStream<Uint8Array>,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let abort = () => {}
  const leave = () => {
    signal.removeEventListener('abort', abort)
    ended()
  }
  const begin = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    abort = () => {
      leave()
      controller.error(signal.reason)
      // A source that has failed has ended.
      reader.cancel(signal.reason).catch(() => undefined)
    }
    signal.addEventListener('abort', abort)
  }
  const passOn = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await reader.read().catch((error) => {
      leave()
      throw error
    })
    if (signal.aborted) return
    if (!done) return controller.enqueue(value)
    leave()
    controller.close()
  }
  const cancel = (reason: unknown) => {
    leave()
    return reader.cancel(reason)
  }
  return new ReadableStream({ start: begin, pull: passOn, cancel }, { highWaterMark: 0 })
}

/** Sends a request with a JSON body. @returns the parsed response. @throws RequestRefused */
export async function ask<ResponseBody>(
  caller: Caller,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<ResponseBody> {
  const response = await callInProcess(caller, path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const parsed = JSON.parse(await response.text())
  if (response.ok) return parsed
  const { type, code = null, param = null, message } = parsed.error
  throw new RequestRefused({
    status: response.status,
    type,
    code,
    param,
    message: `${method} ${path}: ${message}`,
  })
}

/** Returns a name or an ID as a part of a path. Lone surrogates, which no path can contain, are replaced. */
export const pathPart = (text: string): string => encodeURIComponent(text.toWellFormed())

/** Appends a query to a path. Undefined values are omitted, and a list becomes repeated `name[]` parameters. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | readonly string[] | undefined>>,
): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (typeof value === 'object') for (const item of value) search.append(`${name}[]`, item)
    else search.set(name, String(value))
  }
  return `${path}?${search}`
}

async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const connectionReset = () => Object.assign(new Error('other side closed'), { code: 'ECONNRESET' })
