import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { until } from './until.ts'

/** A way to occupy a connection: the bytes to send, and the deadline for the daemon to close the connection. */
type Kind = { readonly name: string; readonly lines: readonly string[]; readonly limitMs: number }

type Peer = {
  readonly kind: Kind
  readonly socket: Socket
  readonly since: number
  /** Whether it was among the first of its kind. */
  readonly isFirst: boolean
  /** Whether the daemon is known to have accepted the connection: it holds it, or has ended it. */
  isAccepted: boolean
}

/** See SOCKET_LIMITS in src/daemon/listener.ts. */
const HEADERS_MS = 10_000
const LINGER_MS = 1_000
/** One minute after all buffers are full. Events take some minutes to fill them. */
const UNREAD_MS = 10 * 60_000
/** The tolerance. It is less than a minute, after which any connection is closed. */
const LATE_MS = 30_000

/**
 * Peers that occupy connections of a daemon and never close them. When the daemon closes a connection, another one of the same
 * kind is opened.
 */
export class SilentPeers {
  /** The number of connections that the daemon has closed, by kind of peer. */
  readonly closed: Record<string, number> = {}
  readonly #port: number
  readonly #kinds: readonly Kind[]
  readonly #peers = new Set<Peer>()

  /** @param each - the number of peers of each kind */
  constructor({ url, key, each }: { readonly url: string; readonly key: string; readonly each: number }) {
    const { port, host } = new URL(url)
    this.#port = Number(port)
    const asks = (line: string, ...headers: string[]) => [`${line} HTTP/1.1`, `Host: ${host}`, ...headers]
    const stream = [`Authorization: Bearer ${key}`, 'Accept: text/event-stream', '', '']
    this.#kinds = [
      { name: 'sends nothing', lines: [], limitMs: HEADERS_MS },
      { name: 'sends half a request', lines: asks('GET /v1/customers', ''), limitMs: HEADERS_MS },
      { name: 'asks for a tunnel', lines: asks('CONNECT example.test:443', '', ''), limitMs: LINGER_MS },
      { name: 'never reads its stream', lines: asks('GET /v1/events', ...stream), limitMs: UNREAD_MS },
    ]
    for (const kind of this.#kinds) for (let count = 0; count < each; count += 1) this.#open(kind, true)
  }

  /** Replaces the peers whose connection the daemon has closed. @throws when it holds one for too long */
  look(): void {
    const held = this.#heldPorts()
    for (const peer of this.#peers) {
      const isHeld = held.has(peer.socket.localPort ?? 0)
      peer.isAccepted ||= isHeld
      if (peer.isAccepted && !isHeld) this.#replace(peer)
      else if (performance.now() - peer.since > peer.kind.limitMs + LATE_MS)
        throw new Error(`the daemon does not close the connection of a peer that ${peer.kind.name}`)
    }
  }

  /** Resolves when the daemon has closed the first connections with a deadline of at most one second. */
  async firstClosed(): Promise<void> {
    const isLeft = ({ isFirst, kind }: Peer) => isFirst && kind.limitMs <= LINGER_MS
    const areClosed = () => ![...this.#peers].some(isLeft)
    await until('the daemon had closed the connections of silent peers', areClosed, LATE_MS)
  }

  close(): void {
    for (const { socket } of this.#peers) socket.destroy()
    this.#peers.clear()
  }

  #open(kind: Kind, isFirst: boolean): void {
    const socket = connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true })
    const peer: Peer = { kind, socket, since: performance.now(), isFirst, isAccepted: false }
    const accepted = () => {
      peer.isAccepted = true
    }
    // An error means that the daemon has reset the connection.
    socket.on('end', accepted).on('error', accepted)
    if (kind.limitMs === UNREAD_MS) socket.pause()
    else socket.resume()
    socket.write(kind.lines.join('\r\n'))
    this.#peers.add(peer)
  }

  #replace(peer: Peer): void {
    const { name } = peer.kind
    this.closed[name] = (this.closed[name] ?? 0) + 1
    peer.socket.destroy()
    this.#peers.delete(peer)
    this.#open(peer.kind, false)
  }

  /**
   * The ports of the peers to which the daemon holds a connection. A connection that no process holds has the inode 0.
   * Source: proc_net_tcp.txt of the Linux kernel.
   */
  #heldPorts(): Set<number> {
    const portOf = (address = '') => Number.parseInt(address.split(':')[1] ?? '', 16)
    const rows = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
    const held = rows.filter(
      ([, local, , , , , , , , inode]) => portOf(local) === this.#port && inode !== '0',
    )
    return new Set(held.map(([, , remote]) => portOf(remote)))
  }
}
