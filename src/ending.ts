import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Connections } from './connections.ts'

/** How long answers under way may keep a stopping daemon, in milliseconds. */
const PATIENCE_MS = 2_000
/** How often connections that have had their answer are looked for, in milliseconds. */
const SWEEP_MS = 20

/**
 * The end of a daemon, which comes about once, however many ask for it: new connections are refused, what runs ends, the
 * database is closed, and then the connections that are left go.
 * See docs/contract/operator.md#stopping.
 */
export class Ending {
  /** Resolves when no answer is under way any more after the database was closed. */
  readonly #over: Promise<void>
  readonly #server: Server
  readonly #connections: Connections
  readonly #save: () => Promise<void>
  #settle: (leaving: Promise<void>) => void = () => undefined
  #saved: Promise<void> | undefined

  /** @param save - ends what runs, and closes the database */
  constructor(
    { server, connections }: { readonly server: Server; readonly connections: Connections },
    save: () => Promise<void>,
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
    try {
      await this.#save()
    } finally {
      this.#settle(this.#leave())
    }
  }

  /** Waits for the answers under way, but not for peers that do not read them. */
  async #leave(): Promise<void> {
    for (let waited = 0; waited < PATIENCE_MS && this.#connections.sweep() > 0; waited += SWEEP_MS)
      await delay(SWEEP_MS)
    this.#connections.destroyBusy()
  }
}
