import type { Headers } from './respond.ts'

/** Header names and values alternate, as Node takes them. */
export const JSON_CONTENT: readonly string[] = ['Content-Type', 'application/json']

/** See docs/contract/authentication.md#publishable-keys. */
export const CORS: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Request-Id, X-API-Version, Paytwin-Now, Idempotent-Replayed',
]

const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, Stripe-Version, X-API-Version'

/** The response to a CORS preflight of a route that accepts publishable keys. See docs/contract/authentication.md#publishable-keys. */
export const preflight = (method: string): Response =>
  new Response('', {
    status: 200,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': method,
      'Access-Control-Allow-Headers': ALLOWED_HEADERS,
      'Access-Control-Max-Age': '86400',
    },
  })

/** The values that the headers of a response show. */
type Shown = {
  readonly id: string
  /** The header with the API version, and the version. */
  readonly version: { readonly header: string; readonly value: string }
  /** The time of the merchant's clock in Unix seconds; undefined if the merchant is not known. */
  readonly now?: number | undefined
  /** The names of ignored parameters; see namesAsHeader. */
  readonly ignored?: string | undefined
  /** Headers of all responses of the route. */
  readonly ofRoute?: readonly string[] | undefined
}

/**
 * Makes the headers of a response; names and values alternate.
 * @param first - headers to put first, such as the content type
 * @param own - the headers of this response
 * See docs/contract/requests.md#response-headers.
 */
export function responseHeaders(
  first: readonly string[],
  { id, version, now, ignored, ofRoute }: Shown,
  own: Headers,
): string[] {
  const headers = [...first, 'Request-Id', id, version.header, version.value]
  if (now !== undefined) headers.push('Paytwin-Now', String(now))
  if (ignored !== undefined) headers.push('Paytwin-Ignored-Params', ignored)
  if (ofRoute) headers.push(...ofRoute)
  for (const name in own) headers.push(name, own[name] as string)
  return headers
}

/** Sets headers on a response that was made elsewhere: a stream or a page. */
export function setHeaders(response: Response, headers: readonly string[]): Response {
  for (let at = 0; at < headers.length; at += 2)
    response.headers.set(headers[at] ?? '', headers[at + 1] ?? '')
  return response
}
