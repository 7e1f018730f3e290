import { ApiError, internalError } from '../core/errors.ts'
import { docUrl } from './error-codes.ts'
import type { Reply } from './incoming.ts'
import type { Json } from './json.ts'
import type { Site } from './site.ts'

export type Headers = Readonly<Record<string, string>>

/** A body as text: `livemode` stands at the top level of each. See docs/contract/requests.md#environment. */
export const textOf = (body: Json): string =>
  JSON.stringify('livemode' in body ? body : { ...body, livemode: false })

/**
 * Whether an answer is a response made elsewhere: a stream, or a page. It is recognized by a property, because naming the class
 * makes Node load its implementation of `fetch`, which takes 20 ms of a start.
 */
export const isResponse = (value: unknown): value is Response =>
  typeof value === 'object' && value !== null && 'bodyUsed' in value

/** An answer as hono takes it. */
export function responseOf({ status, headers, text }: Reply): Response {
  const pairs: [string, string][] = []
  for (let at = 0; at < headers.length; at += 2) pairs.push([headers[at] ?? '', headers[at + 1] ?? ''])
  return new Response(text, { status, headers: Object.fromEntries(pairs) })
}

/** A response whose body is JSON already. */
export const jsonText = (status: number, text: string, headers: Headers): Response =>
  new Response(text, { status, headers: { 'Content-Type': 'application/json', ...headers } })

export const json = (status: number, body: Json, headers: Headers): Response =>
  jsonText(status, textOf(body), headers)

/**
 * The error envelope of an ApiError.
 * @param url - the daemon's, where its codes are explained
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

/** What an error adds to the headers. See docs/contract/requests.md#response-headers. */
export function errorHeaders({ status, challenge }: Pick<ApiError, 'status' | 'challenge'>): Headers {
  if (status === 401) return { 'WWW-Authenticate': challenge ?? 'Bearer' }
  return status === 429 ? { 'Retry-After': '1' } : {}
}

/**
 * What was thrown, as an ApiError: the one place where errors become the API's. What is none yet is our own mistake.
 * @param doing - what failed, for the log
 */
export function knownError(site: Pick<Site, 'reportError'>, error: unknown, doing: string): ApiError {
  if (error instanceof ApiError) return error
  // A caller who hangs up while sending hears no answer, and has done nothing that concerns us.
  if (!isAborted(error)) site.reportError(error, doing)
  return internalError()
}

const isAborted = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'AbortError' ||
    error.message === 'aborted' ||
    ('code' in error && error.code === 'ECONNRESET'))
