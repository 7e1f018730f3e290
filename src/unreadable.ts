import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { NEWEST_API_VERSION } from './core/api-version.ts'
import { parameterInvalid } from './core/errors.ts'
import { requestId } from './engine/ids.ts'
import { errorBody, json, textOf } from './http/respond.ts'

const refusal = () => parameterInvalid(null, 'The request is not valid HTTP, or its headers are too large')

const headers = () => ({ 'Request-Id': requestId(), 'X-API-Version': NEWEST_API_VERSION })

/** The answer to a request that could not be made sense of. @param url - the daemon's own. Source: decisions.md 1, "Every response". */
export const unreadable = (url: string): Response => json(400, errorBody(refusal(), url), headers())

/** The same for one that Node refused before anything saw it: written to the socket by hand, which then ends. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex, url: string): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const body = textOf(errorBody(refusal(), url))
  const lines = Object.entries({
    ...headers(),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 400 ${STATUS_CODES[400]}`, ...lines, '', body].join('\r\n'))
}
