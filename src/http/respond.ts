import { ApiError, internalError } from '../core/errors.ts'
import { docUrl } from './error-codes.ts'
import type { Reply } from './incoming.ts'
import type { Json } from './json.ts'
import type { HttpServices } from './services.ts'

export type Headers = Readonly<Record<string, string>>

/** A response as it is sent. */
export type Rendered = {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The code, if it is an error. */
  readonly code?: string | null
  /** The serialized value; undefined if the response was created from text. */
  readonly body?: Json
}

/** Serializes a body, and adds `livemode` at its top level. See docs/contract/requests.md#environment. */
export const textOf = (body: Json): string =>
  JSON.stringify('livemode' in body ? body : { ...body, livemode: false })

/**
 * Returns whether a response is a Response: a stream or a page. Checks a property, because a reference to the class makes Node
 * load its implementation of `fetch`, which takes 20 ms at the start.
 */
export const isResponse = (value: unknown): value is Response =>
  typeof value === 'object' && value !== null && 'bodyUsed' in value

/** Converts a response to a Response for hono. */
export function asResponse(response: Reply | Response): Response {
  if (isResponse(response)) return response
  const { status, headers, text } = response
  const pairs: [string, string][] = []
  for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at] ?? '', headers[at + 1] ?? ''])
  return new Response(text, { status, headers: Object.fromEntries(pairs) })
}

/** Makes a response from a serialized JSON body. */
const jsonText = (status: number, text: string, headers: Headers): Response =>
  new Response(text, { status, headers: { 'Content-Type': 'application/json', ...headers } })

export const json = (status: number, body: Json, headers: Headers): Response =>
  jsonText(status, textOf(body), headers)

/**
 * Makes the error envelope of an ApiError.
 * @param url - the url of the daemon, for `doc_url`
 * See docs/contract/errors.md#envelope.
 */
export function errorBody({ type, code, message, param, details }: ApiError, url: string): Json {
  if (code === null) return { error: { type, message }, livemode: false }
  const doc_url = docUrl(url, code)
  return {
    error: { type, code, message, param, ...(doc_url && { doc_url }), ...details },
    livemode: false,
  }
}

/** Returns the additional headers of an error. See docs/contract/requests.md#response-headers. */
export function errorHeaders({ status, challenge }: Pick<ApiError, 'status' | 'challenge'>): Headers {
  if (status === 401) return { 'WWW-Authenticate': challenge ?? 'Bearer' }
  return status === 429 ? { 'Retry-After': '1' } : {}
}

/**
 * Converts a thrown error to an ApiError. Other errors are bugs: they are logged and become internal_error.
 * @param doing - the failed action, for the log
 */
export function knownError(
  services: Pick<HttpServices, 'reportError'>,
  error: unknown,
  doing: string,
): ApiError {
  if (error instanceof ApiError) return error
  // A client that disconnects while it sends the body is not an error of the daemon.
  if (!isAborted(error)) services.reportError(error, doing)
  return internalError()
}

const isAborted = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'AbortError' ||
    error.message === 'aborted' ||
    ('code' in error && error.code === 'ECONNRESET'))
