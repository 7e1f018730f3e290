import type { Agent, ClientRequest } from 'node:http'
import type { Duplex } from 'node:stream'

/** What Node documents and its types lack. */
declare module 'node:http' {
  interface Agent {
    keepSocketAlive(socket: Duplex): boolean
    reuseSocket(socket: Duplex, request: ClientRequest): void
  }
}

/** paytwin: the maximum number of connections that are kept for later posts. */
const MOST_KEPT = 100

/**
 * The connections to receivers that are kept for later posts. Beyond the limit, the one that is unused longest is closed, because
 * they use the files of the process. So is one over which a receiver sends something that nobody has asked for: each byte would
 * restart its timeout.
 */
export class KeptConnections {
  /** First those that are unused longest. */
  readonly #unused = new Set<Duplex>()
  /** The connections whose end is reported. */
  readonly #watched = new WeakSet<Duplex>()

  /** Counts the connections of an agent. */
  watch<A extends Agent>(agent: A): A {
    const keep = agent.keepSocketAlive.bind(agent)
    const reuse = agent.reuseSocket.bind(agent)
    agent.keepSocketAlive = (socket) => {
      this.#add(socket)
      return keep(socket)
    }
    agent.reuseSocket = (socket, request) => {
      this.#remove(socket)
      reuse(socket, request)
    }
    return agent
  }

  #add(socket: Duplex): void {
    this.#unused.add(socket)
    socket.on('data', destroy)
    if (!this.#watched.has(socket)) socket.once('close', () => this.#remove(socket))
    this.#watched.add(socket)
    for (const longest of this.#unused) {
      if (this.#unused.size <= MOST_KEPT) break
      this.#remove(longest)
      longest.destroy()
    }
  }

  #remove(socket: Duplex): void {
    this.#unused.delete(socket)
    socket.off('data', destroy)
  }
}

function destroy(this: Duplex): void {
  this.destroy()
}
