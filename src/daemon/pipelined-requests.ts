import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Whether Node has paused a connection because its peer does not read. Node resumes it. */
const isPausedByNode = (socket: Socket): boolean => (socket as { _paused?: boolean })._paused === true

/** The maximum number of pipelined requests of a connection that are served at a time. */
const SERVED_AT_A_TIME = 16
/**
 * The number of waiting requests at which reading stops. It is high, because a partly read request must arrive within the time
 * for headers.
 */
const MOST_WAITING = 1_000

type Pipeline = { served: number; readonly waiting: { begin: () => void; response: ServerResponse }[] }

/**
 * Limits how many pipelined requests of a connection are served at a time. Node passes on all requests of the bytes that it
 * has read, and keeps their responses in memory until the peer reads them: 64 KiB hold more than a thousand requests for a
 * large page.
 */
export class PipelinedRequests {
  readonly #pipelines = new WeakMap<Socket, Pipeline>()

  /**
   * Serves a request that arrived before the response to the previous one was sent: now, or once an earlier response was sent.
   * @param begin - serves it
   */
  serve(socket: Socket, response: ServerResponse, begin: () => void): void {
    const pipeline = this.#pipelineOf(socket)
    if (pipeline.served < SERVED_AT_A_TIME) this.#begin(socket, { begin, response })
    else {
      pipeline.waiting.push({ begin, response })
      if (pipeline.waiting.length >= MOST_WAITING) socket.pause()
    }
  }

  #begin(socket: Socket, { begin, response }: Pipeline['waiting'][number]): void {
    const pipeline = this.#pipelineOf(socket)
    pipeline.served += 1
    // If the connection closes first, the requests that wait are dropped with it.
    response.once('finish', () => {
      pipeline.served -= 1
      const next = pipeline.waiting.shift()
      if (next) this.#begin(socket, next)
      if (pipeline.waiting.length < MOST_WAITING && socket.isPaused() && !isPausedByNode(socket))
        socket.resume()
    })
    begin()
  }

  #pipelineOf(socket: Socket): Pipeline {
    const known = this.#pipelines.get(socket)
    if (known) return known
    const pipeline: Pipeline = { served: 0, waiting: [] }
    this.#pipelines.set(socket, pipeline)
    return pipeline
  }
}
