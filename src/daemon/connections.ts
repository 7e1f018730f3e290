import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { stopwatch } from '../engine/machine/clock.ts'
import { afterReads } from './after-reads.ts'
import { UnreadLimit } from './unread-limit.ts'

/** The last request over a connection, its response, and the response before that. */
export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly before: ServerResponse | undefined
}

/** The busy connections of an owner. */
type Held = { count: number; newest: Duplex }

/** The time in which the first request of a connection, or its next one, is likely to arrive, in milliseconds. */
const SETTLING_MS = 1_000

/** The time in which a peer that reads is likely to read something, in milliseconds. */
const READING_MS = 1_000

/** paytwin: an owner with more than one of so many shares of the places may lose its newest one. */
const SHARES = 16

/**
 * The open connections of an HTTP server, each with its last exchange. Node loses track of a connection after a CONNECT, and
 * waits forever for a peer that never closes its side or never reads its response. Such connections are destroyed here, so
 * that they do not count against the limit.
 */
export class Connections {
  readonly #most: number
  readonly #unreadMs: number
  readonly #lingerMs: number
  readonly #betweenMs: number
  readonly #ownerOf: (socket: Duplex) => object | undefined
  /** First those whose last request, or else whose beginning, is longest ago. */
  readonly #open = new Map<Duplex, Exchange | undefined>()
  /** The responses of each connection that have not been sent, in the order of their requests. */
  readonly #unsent = new WeakMap<Duplex, Set<ServerResponse>>()
  /** When each connection was opened, or its last response was sent, in milliseconds: see stopwatch. */
  readonly #idleSince = new WeakMap<Duplex, number>()
  /** How long the peer of each connection has not read. */
  readonly #unread = new WeakMap<Duplex, UnreadLimit>()
  /** Connections that stay open until the process ends. */
  readonly #kept = new Set<Duplex>()
  /** A timer for each connection that has had a response. */
  readonly #idle = new Map<Duplex, NodeJS.Timeout>()
  /** The requests that are being served, each by its connection. */
  readonly #served = new Set<{ readonly socket: Duplex }>()
  #isClosing = false
  #isOver = false

  /**
   * @param limits.connections - the maximum number of connections
   * @param limits.unreadMs - the maximum time that a client may not read its response; @param limits.lingerMs - see SocketLimits
   * @param limits.betweenMs - the time from a response to the end of the next request's headers. Node's timeout starts
   *   again at each byte, so that a blank line now and then would keep a connection forever
   * @param limits.ownerOf - returns the owner of the request that waits over a connection, such as a merchant; undefined if it counts for
   *   none
   */
  constructor(
    server: Server,
    {
      connections,
      unreadMs,
      lingerMs,
      betweenMs,
      ownerOf,
    }: {
      readonly connections: number
      readonly unreadMs: number
      readonly lingerMs: number
      readonly betweenMs: number
      readonly ownerOf: (socket: Duplex) => object | undefined
    },
  ) {
    this.#most = connections
    this.#unreadMs = unreadMs
    this.#lingerMs = lingerMs
    this.#betweenMs = betweenMs
    this.#ownerOf = ownerOf
    server.on('connection', (socket) => this.#add(socket))
    // Without this listener, Node would destroy an idle connection after a stall although its next request has arrived: see #add.
    server.on('timeout', () => undefined)
    // close() calls this method. Node's version also destroys connections with a partly sent response.
    server.closeIdleConnections = () => void this.sweep()
  }

  /**
   * Records a request as the last one over its connection.
   * @returns whether to serve it; after `refuseRequests` its connection closes instead, once the requests before it are answered
   */
  take(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    if (this.#isClosing) {
      if (!this.#isBusy(socket) && !this.#kept.has(socket)) socket.destroy()
      return false
    }
    if (!socket.destroyed) {
      const before = this.lastOver(socket)?.response
      this.#open.delete(socket)
      this.#open.set(socket, { request, response, before })
      const unsent = this.#unsent.get(socket)?.add(response)
      // The time begins when the response is handed over: the next check may be 30 s away.
      response.once('prefinish', () => this.#unreadMsOf(socket))
      response.once('finish', () => {
        unsent?.delete(response)
        this.#idleSince.set(socket, stopwatch())
        this.#limitIdleTime(socket)
      })
    }
    return true
  }

  /** Refuses further requests, and closes each connection after the response to its last request, except kept connections. */
  refuseRequests(): void {
    this.#isClosing = true
    for (const [socket, last] of this.#open)
      if (last && !this.#kept.has(socket)) last.response.shouldKeepAlive = false
  }

  /** Records that a request is being served until a promise settles. @returns that promise */
  async serves({ socket }: IncomingMessage, answered: Promise<void>): Promise<void> {
    const served = { socket }
    this.#served.add(served)
    try {
      await answered
    } finally {
      this.#served.delete(served)
    }
  }

  /** Whether any request is being served. Requests over kept connections do not count. */
  get isServing(): boolean {
    return this.#serving().length > 0
  }

  /** Whether no further request may begin, also of those that have arrived: see `destroyServing`. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Destroys the connections with a request that is being served, except kept connections. No request begins afterwards. */
  destroyServing(): void {
    this.#isOver = true
    for (const { socket } of this.#serving()) socket.destroy()
  }

  lastOver(socket: Duplex): Exchange | undefined {
    return this.#open.get(socket)
  }

  /** Keeps a connection open until the process ends, so that the peer notices the end. It does not keep the process alive. */
  keepToTheEnd(connection: object): void {
    for (const socket of this.#open.keys()) if (socket === connection) this.#kept.add(socket)
  }

  /** Destroys idle connections, except kept ones. @returns the number of requests in progress */
  sweep(): number {
    const answered = [...this.#open.keys()].filter((socket) => !this.#isBusy(socket))
    for (const socket of answered) {
      if (this.#kept.has(socket)) (socket as Socket).unref()
      else socket.destroy()
    }
    return this.#open.size - answered.length
  }

  /** Destroys the connections with a request in progress. */
  destroyBusy(): void {
    for (const socket of this.#open.keys()) if (this.#isBusy(socket)) socket.destroy()
  }

  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy()
  }

  #add(socket: Socket): void {
    if (this.#open.size >= this.#most && !this.#makeRoom()) {
      socket.destroy()
      return
    }
    this.#open.set(socket, undefined)
    this.#unsent.set(socket, new Set())
    this.#idleSince.set(socket, stopwatch())
    this.#unread.set(socket, new UnreadLimit(socket, this.#unreadMs))
    // Node's keep-alive timeout. What has arrived during a stall is read first.
    socket.on('timeout', () => {
      const { bytesRead } = socket
      afterReads(() => {
        if (socket.bytesRead === bytesRead && !this.#isBusy(socket)) socket.destroy()
      })
    })
    let lingering: NodeJS.Timeout | undefined
    socket.once('finish', () => {
      lingering = setTimeout(() => socket.destroy(), this.#lingerMs).unref()
    })
    socket.once('close', () => {
      clearTimeout(lingering)
      clearTimeout(this.#idle.get(socket))
      this.#idle.delete(socket)
      this.#open.delete(socket)
      this.#kept.delete(socket)
    })
  }

  /**
   * Closes a connection for a new one: one that is idle, or else one whose peer does not read, or else the oldest stream, which its
   * client can continue, or else the newest one of the owner with the most, whose requests may wait for very long, such as for an
   * advance, or else one that has just become idle, whose next request may be on its way. Otherwise whoever opens connections first,
   * or most often, would shut out all others.
   * @returns whether there is room
   */
  #makeRoom(): boolean {
    const settled = stopwatch() - SETTLING_MS
    let fresh: Duplex | undefined
    let unread: Duplex | undefined
    let stream: Duplex | undefined
    const byOwner = new Map<object | undefined, Held>()
    let most: Held | undefined
    for (const socket of this.#open.keys()) {
      if (this.#kept.has(socket)) continue
      if (!this.#isBusy(socket)) {
        if ((this.#idleSince.get(socket) ?? 0) <= settled) return this.#closeForAnother(socket)
        fresh ??= socket
        continue
      }
      unread ??= this.#unreadMsOf(socket) >= READING_MS ? socket : undefined
      stream ??= this.#isStreaming(socket) ? socket : undefined
      const owner = this.#ownerOf(socket)
      const own = byOwner.get(owner) ?? { count: 0, newest: socket }
      own.count += 1
      own.newest = socket
      byOwner.set(owner, own)
      if (own.count > (most?.count ?? 0)) most = own
    }
    const ofMany = most && most.count > this.#most / SHARES ? most.newest : undefined
    const found = unread ?? stream ?? ofMany ?? fresh
    return found !== undefined && this.#closeForAnother(found)
  }

  /** Closes a connection. Its place is free at once, though the socket closes later. @returns whether it had a place */
  #closeForAnother(socket: Duplex): boolean {
    socket.destroy()
    return this.#open.delete(socket)
  }

  /** Restarts the timeout for the next request. */
  #limitIdleTime(socket: Socket): void {
    const known = this.#idle.get(socket)
    if (known) known.refresh()
    else if (this.#open.has(socket)) {
      const destroyIdle = () => {
        if (!this.#isBusy(socket) && !this.#kept.has(socket)) socket.destroy()
      }
      const timer = setTimeout(() => afterReads(destroyIdle), this.#betweenMs)
      this.#idle.set(socket, timer.unref())
    }
  }

  #serving(): { readonly socket: Duplex }[] {
    return [...this.#served].filter(({ socket }) => !this.#kept.has(socket))
  }

  /** Whether the oldest unsent response has begun and has not ended. Requests behind it may wait for ever. */
  #isStreaming(socket: Duplex): boolean {
    const [response] = this.#unsent.get(socket) ?? []
    const { headersSent = false, writableEnded = false } = response ?? {}
    return headersSent && !writableEnded
  }

  #unreadMsOf(socket: Duplex): number {
    return this.#unread.get(socket)?.measureMs() ?? 0
  }

  #isBusy(socket: Duplex): boolean {
    const last = this.#open.get(socket)
    return last !== undefined && !last.response.writableFinished
  }
}
