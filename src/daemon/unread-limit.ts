import type { Socket } from 'node:net'
import { stopwatch } from '../engine/machine/clock.ts'
import { afterReads } from './after-reads.ts'

/**
 * The counters of Node's internal handle, on which its own timeout is based: the bytes given to the system, and those of them that it
 * has not accepted yet.
 */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number }

/**
 * Closes a connection whose peer does not read, whatever the peer sends. Node's timeout of a socket starts again at each byte that
 * arrives: a blank line now and then would keep a connection with an unread response for ever.
 */
export class UnreadLimit {
  readonly #socket: Socket
  /** The bytes that the system had accepted when something waited, and when that was found, in milliseconds: see stopwatch. */
  #acceptedBytes = -1
  #since = 0

  /** @param ms - the time after which the connection is closed. It may take up to twice as long */
  constructor(socket: Socket, ms: number) {
    this.#socket = socket
    const check = () => void (this.measureMs() >= ms && socket.destroy())
    const timer = setInterval(() => afterReads(check), ms / 2).unref()
    socket.once('close', () => clearInterval(timer))
  }

  /**
   * Measures for how long the peer has read nothing while a response or a stream waits for it, in milliseconds, as far as earlier
   * measurements show.
   * @returns 0 if nothing waits
   */
  measureMs(): number {
    if (this.#socket.writableLength === 0) return 0
    const acceptedBytes = acceptedBytesOf(this.#socket)
    if (acceptedBytes !== this.#acceptedBytes) {
      this.#acceptedBytes = acceptedBytes
      this.#since = stopwatch()
    }
    return stopwatch() - this.#since
  }
}

/** Returns the bytes that the system has accepted. `writableLength` would not show progress within one long write. */
function acceptedBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: Handle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
