import { ApiError, internalError } from '../core/errors.ts'
import type { Json } from './json.ts'
import type { Site } from './site.ts'

/**
 * A JSON response. `livemode` stands at the top level of every body.
 * Source: interface.md 1; decisions.md 1.
 */
export function json(status: number, body: Json, headers: Readonly<Record<string, string>>): Response {
  const text = JSON.stringify('livemode' in body ? body : { ...body, livemode: false })
  return new Response(text, { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

/** The error envelope of an ApiError. Source: interface.md 5.5, 7.1; decisions.md 9. */
export function errorBody({ type, code, message, param, details }: ApiError): Json {
  return {
    error: code === null ? { type, message } : { type, code, message, param, ...details },
    livemode: false,
  }
}

/**
 * Maps whatever was thrown to a response: the one place where errors become HTTP. What is no ApiError is our own mistake.
 * @param doing - what failed, for the log
 */
export function failure(
  site: Pick<Site, 'reportError'>,
  error: unknown,
  headers: Readonly<Record<string, string>>,
  doing: string,
): Response {
  if (!(error instanceof ApiError)) site.reportError(error, doing)
  const known = error instanceof ApiError ? error : internalError()
  const challenge = known.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}
  return json(known.status, errorBody(known), { ...headers, ...challenge })
}
