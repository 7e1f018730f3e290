import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { stopwatch } from '../engine/machine/clock.ts'
import { afterReads } from './after-reads.ts'
import type { Connections, Exchange } from './connections.ts'
import type { PipelinedRequests } from './pipelined-requests.ts'

/** How long a late request may go on to arrive, and the interval at which bytes of it have to arrive, in milliseconds. */
const MORE_MS = 1_000
const POLL_INTERVAL_MS = 10

/** See SocketLimits. */
type Limits = { readonly headersMs: number; readonly requestMs: number }

/**
 * Ends requests that are late because of their clients, and not because the process was stalled. Node checks the time limits before it
 * reads: after a stall, such as by a slow disk, it also reports requests that arrived in time and are unread. It reports each request
 * once, and parses on.
 */
export class LateRequests {
  readonly #connections: Connections
  readonly #pipelined: PipelinedRequests
  readonly #limits: Limits

  constructor(connections: Connections, pipelined: PipelinedRequests, limits: Limits) {
    this.#connections = connections
    this.#pipelined = pipelined
    this.#limits = limits
  }

  /** Calls a function if the request that arrives over a connection is not complete soon. @param end - ends the connection */
  check(socket: Duplex, end: () => void): void {
    if (socket instanceof Socket) this.#check(socket, end)
    else end()
  }

  #check(socket: Socket, end: () => void): void {
    const { headersMs, requestMs } = this.#limits
    const { hasBegun, isComplete } = this.#requestOver(socket)
    const wasInBody = hasBegun()
    const endAfter = (ms: number) => endUnless(isComplete, { socket, end, ms })
    // Its time starts over when the daemon reads on.
    if (this.#pipelined.holdsBack(socket)) this.#pipelined.whenEmptied(socket, () => endAfter(requestMs))
    else
      waitWhileArriving(socket, () => hasBegun() === wasInBody && !isComplete(), {
        stuck: end,
        over: () => {
          // Its headers have just arrived, and its body has the rest of the time.
          if (!isComplete()) endAfter(requestMs - headersMs)
        },
      })
  }

  /** Returns whether the headers and the body of the request that arrives over a connection now have arrived, whatever comes after it. */
  #requestOver(socket: Socket): { readonly hasBegun: () => boolean; readonly isComplete: () => boolean } {
    const last = this.#connections.lastOver(socket)
    if (last?.request.complete === false)
      return { hasBegun: () => true, isComplete: () => last.request.complete }
    const newest = () => this.#connections.lastOver(socket)
    const isNext = ({ before }: Exchange) => before === last?.response
    return {
      hasBegun: () => newest() !== last,
      isComplete: () => {
        const exchange = newest()
        return exchange !== undefined && exchange !== last && (exchange.request.complete || !isNext(exchange))
      },
    }
  }
}

/** Ends a connection after a time unless a condition holds then. A closed one is not kept in memory until then. */
function endUnless(
  isOver: () => boolean,
  { socket, end, ms }: { readonly socket: Socket; readonly end: () => void; readonly ms: number },
): void {
  const clear = () => clearTimeout(timer)
  const timer = setTimeout(() => {
    socket.off('close', clear)
    if (!isOver()) end()
  }, ms).unref()
  socket.once('close', clear)
}

/**
 * Waits while a request is late and its bytes arrive.
 * @param then.stuck - called if they stop arriving, or arrive too slowly; @param then.over - called once the request is not late
 */
function waitWhileArriving(
  socket: Socket,
  isLate: () => boolean,
  then: { readonly stuck: () => void; readonly over: () => void },
): void {
  const began = stopwatch()
  const poll = () => {
    const { bytesRead } = socket
    setTimeout(() => afterReads(() => decide(bytesRead)), POLL_INTERVAL_MS)
  }
  const decide = (bytesBefore: number) => {
    if (socket.destroyed) return
    if (!isLate()) then.over()
    else if (socket.bytesRead > bytesBefore && stopwatch() - began < MORE_MS) poll()
    else then.stuck()
  }
  poll()
}
