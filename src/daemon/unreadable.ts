import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { NEWEST_API_VERSION } from '../core/api-version.ts'
import { parameterInvalid } from '../core/errors.ts'
import { requestId } from '../engine/machine/ids.ts'
import { errorBody, type Headers, textOf } from '../http/respond.ts'

const STATUS = 400

/** The parts of the response to an unreadable request. */
export type Refusal = { readonly status: number; readonly headers: Headers; readonly text: string }

/** Why a request is refused, and the header that is invalid. */
export type Reason = { readonly why: string; readonly param?: string }

export const UNREADABLE: Reason = { why: 'The request is not valid HTTP, or its headers are too large' }

/**
 * Creates the response to an unreadable request.
 * @param url - the daemon's URL
 * See docs/contract/requests.md#connections.
 */
export function refusalOfUnreadable(url: string, { why, param }: Reason = UNREADABLE): Refusal {
  const text = textOf(errorBody(parameterInvalid(param ?? null, why), url))
  const headers = {
    'Request-Id': requestId(),
    'X-API-Version': NEWEST_API_VERSION,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  }
  return { status: STATUS, headers, text }
}

/** Writes the response directly to a socket, if Node refused the request before the application, and ends the socket. */
export function refuseByHand(socket: Duplex, url: string, reason?: Reason): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status, headers, text } = refusalOfUnreadable(url, reason)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', text].join('\r\n'))
}
