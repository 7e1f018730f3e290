import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Whether Node has paused a connection because its peer does not read. Node resumes it. */
const isPausedByNode = (socket: Socket): boolean => (socket as { _paused?: boolean })._paused === true

/** The maximum number of pipelined requests of a connection that are served at a time. */
const SERVED_AT_A_TIME = 16
/** The number of waiting requests, and the bytes of the requests of a connection, at which reading stops. */
const MOST_WAITING = 1_000
const MOST_BYTES = 2 ** 22

/** The estimated memory of a request with its response, and of a header beside its characters, in bytes. */
const REQUEST_BYTES = 4_096
const HEADER_BYTES = 64
/** The maximum number of bytes of a body that Node reads before anyone takes them: up to its own limit, and those of one read. */
const BODY_BYTES = 2 ** 17

type Pipelined = { readonly begin: () => void; readonly response: ServerResponse; readonly bytes: number }

type Pipeline = {
  /** The responses to the requests that are being served. */
  readonly served: Set<ServerResponse>
  bytes: number
  /** Whether reading is about to stop. */
  isPausing: boolean
  /** Called once when no request waits any more. */
  emptied: (() => void) | undefined
  readonly waiting: Pipelined[]
}

/**
 * Limits how many pipelined requests of a connection are served at a time, and the memory of all pipelined requests. Node passes on
 * all requests of the bytes that it has read, and keeps their responses in memory until the peer reads them: 64 KiB hold more than
 * a thousand requests for a large page. Requests behind a stream are never served.
 */
export class PipelinedRequests {
  readonly #maxBytes: number
  readonly #isOver: () => boolean
  readonly #pipelines = new WeakMap<Socket, Pipeline>()
  /** The connections with pipelined requests: first those that wait longest. */
  readonly #waiting = new Set<Socket>()
  #bytes = 0

  /**
   * @param maxBytes - the maximum memory of the pipelined requests of all connections. Beyond it, those that wait longest are closed
   * @param isOver - whether no request may begin any more. Then a connection closes once those that have begun are answered
   */
  constructor(maxBytes: number, isOver: () => boolean) {
    this.#maxBytes = maxBytes
    this.#isOver = isOver
  }

  /**
   * Serves a request that arrived before the response to the previous one was sent: now, or once an earlier response was sent.
   * @param begin - serves it
   */
  serve(request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const { socket } = request
    if (socket.destroyed) return
    const pipeline = this.#pipelineOf(socket)
    const pipelined = { begin, response, bytes: bytesOf(request) }
    this.#waiting.add(socket)
    this.#count(pipeline, pipelined.bytes)
    this.#closeLongestWaiting()
    if (pipeline.served.size < SERVED_AT_A_TIME) this.#begin(socket, pipelined)
    else {
      pipeline.waiting.push(pipelined)
      if (isFull(pipeline)) this.#pause(socket, pipeline)
    }
  }

  /** Whether requests of a connection wait. Then its data may be unread, because of the daemon and not of the client. */
  holdsBack(socket: Socket): boolean {
    return (this.#pipelines.get(socket)?.waiting.length ?? 0) > 0
  }

  /** Calls a function once when no request of a connection waits any more. */
  whenEmptied(socket: Socket, emptied: () => void): void {
    this.#pipelineOf(socket).emptied = emptied
  }

  /** Stops reading, after the requests of the bytes that were read: Node resumes reading at the end of each request. */
  #pause(socket: Socket, pipeline: Pipeline): void {
    if (pipeline.isPausing) return
    pipeline.isPausing = true
    process.nextTick(() => {
      pipeline.isPausing = false
      if (isFull(pipeline)) socket.pause()
    })
  }

  #begin(socket: Socket, { begin, response, bytes }: Pipelined): void {
    const pipeline = this.#pipelineOf(socket)
    pipeline.served.add(response)
    // If the connection closes first, the requests that wait are dropped with it.
    response.once('finish', () => {
      pipeline.served.delete(response)
      if (this.#waiting.has(socket)) this.#count(pipeline, -bytes)
      if (pipeline.bytes === 0) this.#waiting.delete(socket)
      if (!this.#isOver()) this.#beginNext(socket, pipeline)
      else if (pipeline.served.size === 0) socket.destroy()
      if (pipeline.waiting.length === 0) {
        pipeline.emptied?.()
        pipeline.emptied = undefined
      }
      if (!isFull(pipeline) && socket.isPaused() && !isPausedByNode(socket)) socket.resume()
    })
    begin()
  }

  #beginNext(socket: Socket, { waiting }: Pipeline): void {
    const next = waiting.shift()
    if (next) this.#begin(socket, next)
  }

  #count(pipeline: Pipeline, bytes: number): void {
    pipeline.bytes += bytes
    this.#bytes += bytes
  }

  #closeLongestWaiting(): void {
    for (const oldest of this.#waiting) {
      if (this.#bytes <= this.#maxBytes) break
      this.#drop(oldest)
      oldest.destroy()
    }
  }

  #drop(socket: Socket): void {
    const pipeline = this.#pipelineOf(socket)
    if (this.#waiting.delete(socket)) this.#count(pipeline, -pipeline.bytes)
    pipeline.waiting.length = 0
  }

  #pipelineOf(socket: Socket): Pipeline {
    const known = this.#pipelines.get(socket)
    if (known) return known
    const served = new Set<ServerResponse>()
    const pipeline: Pipeline = { served, bytes: 0, isPausing: false, emptied: undefined, waiting: [] }
    this.#pipelines.set(socket, pipeline)
    socket.once('close', () => {
      this.#drop(socket)
      process.nextTick(() => {
        closeAll(served)
        releaseRequestsOf(socket)
      })
    })
    return pipeline
  }
}

/** Closes the responses of a closed connection. Node closes the first one only; a stream behind it would not notice its end. */
function closeAll(responses: Iterable<ServerResponse>): void {
  for (const response of responses) {
    if (response.closed) continue
    response.destroy()
    response.emit('close')
  }
}

/**
 * Releases the requests that waited over a closed connection. Node's listeners keep all of them, and a handler that still waits, such
 * as for an advance, keeps the connection.
 */
const releaseRequestsOf = (closed: Socket): void => {
  closed.removeAllListeners().on('error', () => undefined)
}

const isFull = ({ waiting, bytes }: Pipeline): boolean =>
  waiting.length >= MOST_WAITING || (bytes >= MOST_BYTES && waiting.length > 0)

function bytesOf({ rawHeaders, headers, url = '' }: IncomingMessage): number {
  const length =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : BODY_BYTES
  let bytes = REQUEST_BYTES + url.length + Math.min(length, BODY_BYTES)
  for (const text of rawHeaders) bytes += HEADER_BYTES + text.length
  return bytes
}
