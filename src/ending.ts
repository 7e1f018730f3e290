import type { Server } from 'node:http'

/** How long answers under way may keep a stopping daemon, in milliseconds. */
const PATIENCE_MS = 2_000
/** How often connections that have had their answer are looked for, in milliseconds. */
const SWEEP_MS = 20

/**
 * The end of a daemon, which comes about once, however many ask for it: new connections are refused, what runs ends, the
 * database is closed, and then the connections that are left go.
 * Source: operator.md, "Daemon".
 */
export class Ending {
  /** Resolves when no connection is left, whoever asked for the end. */
  readonly over: Promise<void>
  readonly #server: Server
  readonly #save: () => Promise<void>
  #settle: (leaving: Promise<void>) => void = () => undefined
  #saved: Promise<void> | undefined

  /** @param save - ends what runs, and closes the database */
  constructor(server: Server, save: () => Promise<void>) {
    this.#server = server
    this.#save = save
    this.over = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  /** Resolves once the database is closed, so that the request that asks for the end can still be answered. */
  begin(): Promise<void> {
    this.#saved ??= this.#refuseAndSave()
    return this.#saved
  }

  async finish(): Promise<void> {
    await this.begin()
    await this.over
  }

  async #refuseAndSave(): Promise<void> {
    const closed = new Promise<void>((done) => this.#server.close(() => done()))
    try {
      await this.#save()
    } finally {
      this.#settle(this.#leave(closed))
    }
  }

  async #leave(closed: Promise<void>): Promise<void> {
    const sweep = setInterval(() => this.#server.closeIdleConnections(), SWEEP_MS)
    const patience = setTimeout(() => this.#server.closeAllConnections(), PATIENCE_MS)
    await closed
    clearInterval(sweep)
    clearTimeout(patience)
  }
}
