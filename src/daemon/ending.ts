import type { Server } from 'node:http'
import { stopwatch } from '../engine/machine/clock.ts'
import type { Connections } from './connections.ts'

/** The maximum time that a stopping daemon waits for requests and responses in progress, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 2_000
/** The part of that time for requests in progress. The rest is for sending responses, including the response to the shutdown request. */
const REQUEST_TIMEOUT_MS = 1_500
/** The interval at which the connections are checked, in milliseconds. */
const SWEEP_MS = 20

/**
 * Ends running work, and closes the database.
 * @param answered - waits for the requests under way, which need the database
 */
type Save = (answered: () => Promise<void>) => Promise<void>

/**
 * Shuts a daemon down, once for any number of requests: new connections and further requests are refused, running work
 * ends, requests under way are answered, the database is closed, and then the remaining connections are destroyed.
 * See docs/contract/operator.md#stopping.
 */
export class Ending {
  /** Resolves when the database is closed and no response is in progress. */
  readonly #over: Promise<void>
  readonly #server: Server
  readonly #connections: Connections
  readonly #save: Save
  /** The real time of both waits. Counted steps would be longer in a busy process. */
  #waitedMs = 0
  #resolveOver: (drained: Promise<void>) => void = () => undefined
  #saved: Promise<void> | undefined

  constructor(
    { server, connections }: { readonly server: Server; readonly connections: Connections },
    save: Save,
  ) {
    this.#server = server
    this.#connections = connections
    this.#save = save
    this.#over = new Promise((resolve) => {
      this.#resolveOver = resolve
    })
  }

  /**
   * Starts the shutdown. Resolves when the database is closed, so that a shutdown request can still be answered.
   * @param connection - the connection of the shutdown request, if there is one
   */
  begin(connection?: object): Promise<void> {
    if (connection) this.#connections.keepToTheEnd(connection)
    this.#saved ??= this.#refuseAndSave()
    return this.#saved
  }

  /**
   * Resolves when the shutdown is complete and nothing keeps the process alive. The connections of shutdown requests stay open
   * until the process ends, so that `paytwin stop` can wait for it.
   */
  async ended(): Promise<void> {
    await this.#over
    await this.#saved
  }

  /** Shuts the daemon down in a process that continues, and closes all connections. */
  async finish(): Promise<void> {
    await this.begin()
    await this.#over
    this.#connections.destroyAll()
  }

  async #refuseAndSave(): Promise<void> {
    this.#server.close()
    this.#connections.refuseRequests()
    try {
      await this.#save(() => this.#answered())
    } finally {
      this.#resolveOver(this.#drain())
    }
  }

  /** Waits for the requests in progress, and destroys the connections of the rest, because the database will be closed. */
  async #answered(): Promise<void> {
    await this.#waitWhile(() => this.#connections.isServing, REQUEST_TIMEOUT_MS)
    this.#connections.destroyServing()
  }

  /** Waits until responses are sent. Does not wait for peers that do not read. */
  async #drain(): Promise<void> {
    await this.#waitWhile(() => this.#connections.sweep() > 0, RESPONSE_TIMEOUT_MS)
    this.#connections.destroyBusy()
  }

  /**
   * Waits for as long as a condition holds, at most until the time is up. A busy process may find the time up before it could
   * send what is ready, so there is one more step at the end.
   */
  async #waitWhile(holds: () => boolean, untilMs: number): Promise<void> {
    const begun = stopwatch() - this.#waitedMs
    while (holds() && this.#waitedMs < untilMs) {
      await delay(SWEEP_MS)
      this.#waitedMs = stopwatch() - begun
    }
    if (holds()) await delay(SWEEP_MS)
  }
}

/** Fake timers of a test also replace the functions of `node:timers/promises`. */
const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
