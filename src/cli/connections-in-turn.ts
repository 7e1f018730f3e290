import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Limits the connections of a server. One more takes the place of the oldest one that has sent nothing of use yet, or else of the
 * oldest one, so that silent connections keep nobody out.
 */
export class ConnectionsInTurn {
  readonly #open = new Set<Socket>()
  readonly #idle = new Set<Socket>()

  /** @param most - the maximum number of connections; @param maxMs - the time after which each is closed, in milliseconds */
  constructor(server: Server, { most, maxMs }: { readonly most: number; readonly maxMs: number }) {
    server.on('connection', (socket) => {
      if (this.#open.size >= most) this.#closeOne()
      this.#open.add(socket)
      this.#idle.add(socket)
      const limit = setTimeout(() => socket.destroy(), maxMs)
      socket.once('close', () => {
        clearTimeout(limit)
        this.#forget(socket)
      })
    })
  }

  /** Keeps a connection before those that have sent nothing of use. */
  prefer(socket: Socket): void {
    this.#idle.delete(socket)
  }

  #closeOne(): void {
    const [oldest] = this.#idle.size > 0 ? this.#idle : this.#open
    if (!oldest) return
    oldest.destroy()
    // It emits its end later, and frees its place now.
    this.#forget(oldest)
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket)
    this.#idle.delete(socket)
  }
}
