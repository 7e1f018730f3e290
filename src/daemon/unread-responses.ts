import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The number of characters from which a text is written as bytes. */
const LONG_TEXT = 16_384

/**
 * The responses that their readers have not taken yet, and the data of streams that waits. Beyond a limit, the connections that wait
 * longest are closed.
 */
export class UnreadResponses {
  readonly #maxBytes: number
  /** The waiting responses of each connection, with their bytes: first those that wait longest. */
  readonly #waiting = new Map<Socket, Map<ServerResponse, number>>()
  /** The connections and responses whose end is reported. */
  readonly #watched = new WeakSet<Socket | ServerResponse>()
  #bytes = 0

  /** @param maxBytes - the maximum number of bytes that wait in memory */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The number of bytes that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts the bytes of a response that was ended, or is part of a stream, unless the system has taken them. */
  count(response: ServerResponse): void {
    const bytes = response.writableLength
    const { socket } = response.req
    if (bytes === 0 || socket.destroyed) return
    this.#remove(socket, response)
    this.#of(socket).set(response, bytes)
    this.#bytes += bytes
    if (!this.#watched.has(response))
      for (const event of ['drain', 'close']) response.on(event, () => this.#remove(socket, response))
    this.#watched.add(response)
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

/** Makes the class of the responses of a server, which counts the bytes that wait for their readers. */
export const responsesCountedBy = (unread: UnreadResponses): typeof ServerResponse =>
  class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override write(...given: unknown[]): boolean {
      const hasRoom = super.write(...(given as [unknown]))
      if (!hasRoom) unread.count(this)
      return hasRoom
    }

    override end(...given: unknown[]): this {
      super.end(...(bytesOfLong(given) as [unknown]))
      unread.count(this)
      return this
    }
  }

/** Converts a long text to bytes. While a text waits for its reader, Node keeps a copy of it as bytes. */
function bytesOfLong(given: unknown[]): unknown[] {
  const [text, encoding, ...rest] = given
  if (typeof text !== 'string' || text.length < LONG_TEXT) return given
  return typeof encoding === 'string'
    ? [Buffer.from(text, encoding as BufferEncoding), ...rest]
    : [Buffer.from(text), encoding, ...rest]
}
