import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/**
 * The maximum number of bytes that a receiver may send after a request: far more than the headers and the stored part
 * of a response.
 */
const MAX_BYTES = 65_536

/**
 * Creates connections that are destroyed when the receiver sends too much after a request. Informational responses,
 * chunk extensions and trailers have no limit of their own, and parsing them blocks the process.
 */
export const limitReading =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result
      if (!error) watch(socket)
      callback(...result)
    })

/**
 * Counts received bytes. Must be called before the parser listens. Bytes that have just arrived are counted the next
 * time.
 */
function watch(socket: Socket): void {
  let request = 0
  let start = 0
  let seen = 0
  socket.on('readable', () => {
    if (socket.bytesWritten !== request) {
      request = socket.bytesWritten
      start = seen
    }
    if (seen - start > MAX_BYTES) {
      socket.destroy(
        new Error(`The receiver sent more than ${MAX_BYTES / 1_024} KiB that are not part of a response`),
      )
    }
    seen = socket.bytesRead
  })
}
