import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { stopwatch } from '../engine/machine/clock.ts'
import { afterReads } from './after-reads.ts'
import type { Connections } from './connections.ts'
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
    const { headersMs, requestMs } = this.#limits
    const arriving = this.#arrivingOver(socket)
    const endAfter = (ms: number, request = arriving) =>
      void setTimeout(() => {
        if (!request()?.complete) end()
      }, ms).unref()
    if (!(socket instanceof Socket)) end()
    // Its time starts over when the daemon reads on.
    else if (this.#pipelined.holdsBack(socket)) this.#pipelined.whenEmptied(socket, () => endAfter(requestMs))
    else {
      const begun = arriving()
      waitWhileArriving(socket, () => arriving() === begun && !begun?.complete, {
        stuck: end,
        over: () => {
          const request = arriving()
          // Its headers have just arrived, and its body has the rest of the time.
          if (!request?.complete) endAfter(requestMs - headersMs, () => request)
        },
      })
    }
  }

  /** Returns a function that returns the request that arrives over a connection now, once its headers have arrived. */
  #arrivingOver(socket: Duplex): () => IncomingMessage | undefined {
    const last = this.#connections.lastOver(socket)?.request
    if (last?.complete === false) return () => last
    return () => {
      const newest = this.#connections.lastOver(socket)?.request
      return newest === last ? undefined : newest
    }
  }
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
