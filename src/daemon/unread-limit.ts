import type { Socket } from 'node:net'
import { stopwatch } from '../engine/machine/clock.ts'
import { afterReads } from './after-reads.ts'

/** What Node's own timeout of a socket is based on: the bytes given to the system, and those of them that it has not taken yet. */
type Handle = { readonly bytesWritten: number; readonly writeQueueSize: number }

/**
 * Closes a connection whose peer does not read, whatever the peer sends. Node's timeout of a socket starts again at each byte that
 * arrives: a blank line now and then would keep a connection with an unread response for ever.
 */
export class UnreadLimit {
  readonly #socket: Socket
  /** The bytes that the system had taken when something waited, and when that was found, in milliseconds: see stopwatch. */
  #takenBytes = -1
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
   * measurements show. @returns 0 if nothing waits
   */
  measureMs(): number {
    if (this.#socket.writableLength === 0) return 0
    const takenBytes = takenBytesOf(this.#socket)
    if (takenBytes !== this.#takenBytes) {
      this.#takenBytes = takenBytes
      this.#since = stopwatch()
    }
    return stopwatch() - this.#since
  }
}

/** Also counts the part of a long text that the system has taken, unlike `writableLength`. */
function takenBytesOf(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: Handle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0
}
