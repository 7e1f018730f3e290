import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Connections } from './connections.ts'

/** How long requests under way may delay the end of a daemon, in milliseconds. */
const PATIENCE_MS = 2_000
/** How often the connections are checked, in milliseconds. */
const SWEEP_MS = 20

/**
 * Ends what runs, and closes the database.
 * @param answered - waits for the requests under way, which need the database
 */
type Save = (answered: () => Promise<void>) => Promise<void>

/**
 * The end of a daemon, which happens once, however many ask for it: new connections and further requests are refused, what
 * runs ends, requests under way are answered, the database is closed, and then the remaining connections are destroyed.
 * See docs/contract/operator.md#stopping.
 */
export class Ending {
  /** Resolves when no answer is under way any more after the database was closed. */
  readonly #over: Promise<void>
  readonly #server: Server
  readonly #connections: Connections
  readonly #save: Save
  #waitedMs = 0
  #settle: (leaving: Promise<void>) => void = () => undefined
  #saved: Promise<void> | undefined

  constructor(
    { server, connections }: { readonly server: Server; readonly connections: Connections },
    save: Save,
  ) {
    this.#server = server
    this.#connections = connections
    this.#save = save
    this.#over = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /**
   * Resolves once the database is closed, so that the request that asks for the end can still be answered.
   * @param connection - the connection that this request came over, if there is one
   */
  begin(connection?: object): Promise<void> {
    if (connection) this.#connections.keepToTheEnd(connection)
    this.#saved ??= this.#refuseAndSave()
    return this.#saved
  }

  /**
   * Resolves when it has ended, whoever asked for that, and nothing keeps the process alive. The connections that asked for it
   * are still open: they close with the process, so that `paytwin stop` can wait for it.
   */
  async ended(): Promise<void> {
    await this.#over
    await this.#saved
  }

  /** Ends the daemon in a process that goes on: no connection is left. */
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
      this.#settle(this.#leave())
    }
  }

  /** Waits for the requests under way. None is left afterwards: it would find the database closed. */
  async #answered(): Promise<void> {
    await this.#waitWhile(() => this.#connections.isServing)
    this.#connections.destroyServing()
  }

  /** Waits for responses to be sent, but not for peers that do not read them. */
  async #leave(): Promise<void> {
    await this.#waitWhile(() => this.#connections.sweep() > 0)
    this.#connections.destroyBusy()
  }

  /** Waits for as long as a condition holds, at most until the patience is over. */
  async #waitWhile(holds: () => boolean): Promise<void> {
    for (; holds() && this.#waitedMs < PATIENCE_MS; this.#waitedMs += SWEEP_MS) await delay(SWEEP_MS)
  }
}
