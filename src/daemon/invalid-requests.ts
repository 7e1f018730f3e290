import type { IncomingMessage } from 'node:http'
import { MAX_AUTHORITY, parseUrl } from '../core/url.ts'
import { type Reason, UNREADABLE } from './unreadable.ts'

/** Returns why a request that Node could parse is refused; undefined for a valid one. @param headerCount - the maximum number of headers */
export function faultOf(request: IncomingMessage, headerCount: number): Reason | undefined {
  if (request.rawHeaders.length > 2 * headerCount)
    return { why: `The request has more than ${headerCount} headers` }
  if (lacksHost(request)) return HOST_REQUIRED
  if ((request.headers.host?.length ?? 0) > MAX_AUTHORITY) return HOST_TOO_LONG
  return contradicts(request) ? UNREADABLE : undefined
}

const HOST_REQUIRED = {
  why: 'A request has exactly one Host header, which only HTTP/1.0 may leave out',
  param: 'Host',
}

const HOST_TOO_LONG = { why: `The Host header has more than ${MAX_AUTHORITY} characters`, param: 'Host' }

/** Whether a request has no Host header, though HTTP/1.1 requires one, or has several. Source: RFC 9112 3.2. */
function lacksHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (!headers.host) return httpVersion !== '1.0'
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1
}

/**
 * Whether a request has contradictory information about its host or the encoding of its body, which a proxy might interpret
 * in another way.
 */
function contradicts({ url = '', headers }: IncomingMessage): boolean {
  const { host, 'transfer-encoding': transfer } = headers
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') return true
  if (url.startsWith('/') || url === '*') return false
  const parsed = parseUrl(url)
  return parsed === undefined || parsed.host !== host?.toLowerCase()
}
