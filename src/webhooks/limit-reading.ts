import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** How much is read of what a receiver sends after a request, in bytes: far more than the answer that is kept, with its headers. */
const MAX_BYTES = 65_536

/**
 * Makes connections that break off when the other side sends too much after a request, whatever it consists of: informational
 * answers, chunk extensions and trailers have no limit of their own, and parsing them keeps everybody else waiting.
 */
export const limitReading =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result
      if (!error) watch(socket)
      callback(...result)
    })

/** To be called before the parser listens, so that it comes first. What has just arrived is counted the next time. */
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
        new Error(`The receiver sent more than ${MAX_BYTES / 1_024} KiB that are no part of an answer`),
      )
    }
    seen = socket.bytesRead
  })
}
