import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The maximum number of bytes of responses that wait in memory until their readers take them. */
const MAX_BYTES = 2 ** 28

/** The responses that their readers have not taken yet. Beyond a limit, the connections that wait longest are closed. */
export class UnreadResponses {
  readonly #maxBytes: number
  /** The waiting responses of each connection, with their bytes: first those that wait longest. */
  readonly #waiting = new Map<Socket, Map<ServerResponse, number>>()
  /** The connections whose end is reported. */
  readonly #watched = new WeakSet<Socket>()
  #bytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** The number of bytes that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts a response that was ended, unless the system has taken it whole. */
  add(response: ServerResponse, bytes: number): void {
    const { socket } = response.req
    // A response without a socket waits for those before it on its connection.
    if (response.socket?.writableLength === 0 || socket.destroyed) return
    this.#of(socket).set(response, bytes)
    this.#bytes += bytes
    response.once('close', () => this.#remove(socket, response))
    for (const oldest of this.#waiting.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#close(oldest)
      oldest.destroy()
    }
  }

  #of(socket: Socket): Map<ServerResponse, number> {
    const known = this.#waiting.get(socket)
    if (known) return known
    const made = new Map<ServerResponse, number>()
    this.#waiting.set(socket, made)
    // A response that waits for others emits nothing when its connection is closed.
    if (!this.#watched.has(socket)) socket.once('close', () => this.#close(socket))
    this.#watched.add(socket)
    return made
  }

  #remove(socket: Socket, response: ServerResponse): void {
    const responses = this.#waiting.get(socket)
    this.#bytes -= responses?.get(response) ?? 0
    responses?.delete(response)
    if (responses?.size === 0) this.#waiting.delete(socket)
  }

  #close(socket: Socket): void {
    for (const bytes of this.#waiting.get(socket)?.values() ?? []) this.#bytes -= bytes
    this.#waiting.delete(socket)
  }
}
