import type { Sandbox } from '../../src/daemon/sandbox.ts'
import type { CacheSizes } from '../../src/store/cache-sizes.ts'
import type { Body } from '../twin.ts'
import type { Awaited } from './check-events.ts'
import { ask, type TwinResponse } from './client.ts'
import { MERCHANTS } from './commands.ts'
import { DirectClient } from './direct-client.ts'
import { Failure } from './failure.ts'
import { copyOf } from './model-copy.ts'
import { newMerchant } from './model-merchant.ts'
import type { Fault, Merchant } from './model-state.ts'
import { Naming } from './naming.ts'
import type { Deed } from './script.ts'
import { ADMIN_TOKEN, BEGIN, newSandbox, type Spares } from './spares.ts'
import { Watch } from './watch.ts'

/** A merchant of the sandbox, and its model. */
export type Account = {
  readonly id: string
  readonly key: string
  readonly model: Merchant
  /** In the order of creation. */
  readonly faults: Fault[]
  readonly naming: Naming
  readonly watch: Watch
  /** All events as they were first read, oldest first. */
  readonly events: Body[]
  /** The steps whose events are still to be read. */
  readonly awaited: Awaited[]
}

type Saved = Pick<Account, 'id' | 'model' | 'naming' | 'watch' | 'events'>

export type WorldOptions = {
  readonly cacheSizes?: CacheSizes | undefined
  readonly offset?: number
  /** Used sandboxes; without them each world has a new one. */
  readonly spares?: Spares | undefined
}

/** A sandbox in memory with several merchants, and its snapshots. */
export class World {
  readonly sandbox: Sandbox
  /** The requests of all steps so far. */
  readonly deeds: Deed[] = []
  accounts: Account[] = []
  readonly #client: DirectClient
  readonly #snapshots = new Map<string, Saved[]>()

  private constructor(sandbox: Sandbox, offset: number) {
    this.sandbox = sandbox
    this.#client = new DirectClient(sandbox, offset)
  }

  /** @param offset - which of the requests go through HTTP */
  static async open({ cacheSizes, offset = 0, spares }: WorldOptions = {}): Promise<World> {
    const sandbox = await (spares ? spares.take(cacheSizes) : newSandbox(cacheSizes))
    const world = new World(sandbox, offset)
    await world.#begin(sandbox.secretKey ?? '')
    return world
  }

  /** The running number of a merchant's newest event. */
  newestEventOf({ id }: Account): number {
    const { merchants, store } = this.sandbox.engine
    for (const { settings } of merchants.values())
      if (settings.id === id) return store.journal.head(settings.ordinal)
    throw new Error(`there is no merchant ${id}`)
  }

  /** The merchant of a step; their number is constant. */
  account(index: number): Account {
    const account = this.accounts[index % MERCHANTS]
    if (!account) throw new Error(`there is no merchant ${index}`)
    return account
  }

  ask(
    account: Account,
    method: string,
    path: string,
    body?: string,
    idempotencyKey?: string,
  ): Promise<TwinResponse> {
    return this.#client.ask({ method, path, token: account.key, body, idempotencyKey })
  }

  operate(method: string, path: string, body?: string): Promise<TwinResponse> {
    return ask(this.sandbox, { method, path: `/_paytwin/${path}`, token: ADMIN_TOKEN, body })
  }

  async save(name: string): Promise<void> {
    await this.#operateWell('POST', 'snapshots', { name })
    this.#snapshots.set(name, this.accounts.map(savedOf))
  }

  /** @returns whether the snapshot existed */
  async restore(name: string): Promise<boolean> {
    const saved = this.#snapshots.get(name)
    if (!saved) {
      const { status } = await this.operate('POST', `snapshots/${name}/restore`)
      if (status !== 404) throw new Failure('snapshots', `restoring a missing snapshot: ${status}`)
      return false
    }
    await this.#operateWell('POST', `snapshots/${name}/restore`)
    const before = this.accounts
    this.accounts = []
    for (const [index, each] of saved.entries()) {
      // Faults stay at a restore; keys of merchants that a reset removed are deleted.
      const faults = before.find(({ id }) => id === each.id)?.faults ?? []
      const key = index === 0 ? before[0]?.key : await this.#issueKey(each.id)
      this.accounts.push({ ...savedOf(each), key: key ?? '', faults, awaited: [] })
    }
    return true
  }

  async reset(): Promise<void> {
    const key = this.account(0).key
    await this.#operateWell('POST', 'reset')
    await this.#begin(key)
  }

  /** Closes the sandbox, or resets it for the next run. */
  async close({ cacheSizes, spares }: WorldOptions = {}): Promise<void> {
    if (!spares) return this.sandbox.close()
    for (const name of this.#snapshots.keys()) await this.#operateWell('DELETE', `snapshots/${name}`)
    await this.#operateWell('POST', 'reset')
    await spares.giveBack(this.sandbox, cacheSizes)
  }

  async #begin(defaultKey: string): Promise<void> {
    this.accounts = [accountOf(this.sandbox.merchant.settings.id, defaultKey)]
    while (this.accounts.length < MERCHANTS) {
      const made = await this.#operateWell('POST', 'merchants', { clock: BEGIN })
      this.accounts.push(accountOf(made.id, await this.#issueKey(made.id)))
    }
  }

  async #issueKey(merchant: string): Promise<string> {
    return (await this.#operateWell('POST', 'keys', { merchant })).secret
  }

  async #operateWell(method: string, path: string, body?: Body): Promise<Body> {
    const response = await this.operate(method, path, body && JSON.stringify(body))
    if (response.status >= 300)
      throw new Failure('operator', `${method} ${path}: ${response.status} ${response.text}`)
    return response.body
  }
}

const accountOf = (id: string, key: string): Account => ({
  id,
  key,
  model: newMerchant(BEGIN),
  faults: [],
  naming: new Naming(),
  watch: new Watch(),
  events: [],
  awaited: [],
})

const savedOf = ({ id, model, naming, watch, events }: Saved): Saved => ({
  id,
  model: copyOf(model),
  naming: naming.copy(),
  watch: watch.copy(),
  events: [...events],
})
