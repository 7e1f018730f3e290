import { openSandbox, type Sandbox } from '../../src/daemon/sandbox.ts'
import type { CacheSizes } from '../../src/store/cache-sizes.ts'

/** A token that opens nothing else. */
export const ADMIN_TOKEN = 'the-token-of-a-simulation-and-of-nothing-else'

/** The first instant of the main clocks: a day that most months do not have, in the year before a leap year. */
export const BEGIN = Date.UTC(2027, 0, 31, 10) / 1000

/** Opens a sandbox in memory. All have the same seed, so that runs have the same ids whichever sandbox they get. */
export const newSandbox = (cacheSizes: CacheSizes | undefined): Promise<Sandbox> =>
  openSandbox({
    ...(cacheSizes && { cacheSizes }),
    database: ':memory:',
    clock: BEGIN,
    seed: 'simulation',
    adminToken: ADMIN_TOKEN,
    reportError: (error) => {
      throw error
    },
  })

/** The number of runs of one sandbox. */
const MOST_RUNS = 50

/**
 * Sandboxes that were used and reset. A new one takes 50 ms of processor time with its statements, as long as 30 steps, and a
 * used one finds what a reset leaves behind.
 */
export class Spares {
  readonly #free: { readonly sandbox: Sandbox; readonly sizes: string }[] = []
  readonly #runs = new Map<Sandbox, number>()

  /** Returns a sandbox with these caches, which is new or was reset. */
  async take(cacheSizes: CacheSizes | undefined): Promise<Sandbox> {
    const sizes = JSON.stringify(cacheSizes ?? null)
    const index = this.#free.findIndex((spare) => spare.sizes === sizes)
    const sandbox = this.#free.splice(index, index < 0 ? 0 : 1)[0]?.sandbox ?? (await newSandbox(cacheSizes))
    this.#runs.set(sandbox, (this.#runs.get(sandbox) ?? 0) + 1)
    return sandbox
  }

  /** Gives a sandbox back after its reset. */
  async giveBack(sandbox: Sandbox, cacheSizes: CacheSizes | undefined): Promise<void> {
    if ((this.#runs.get(sandbox) ?? 0) < MOST_RUNS)
      this.#free.push({ sandbox, sizes: JSON.stringify(cacheSizes ?? null) })
    else await this.close(sandbox)
  }

  async close(sandbox: Sandbox): Promise<void> {
    this.#runs.delete(sandbox)
    await sandbox.close()
  }

  async closeAll(): Promise<void> {
    for (const { sandbox } of this.#free.splice(0)) await this.close(sandbox)
  }
}
