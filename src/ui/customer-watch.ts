import type { Client } from '../client/client.ts'
import { Refused, Unreachable } from '../client/errors.ts'
import type { Event } from '../client/types.ts'
import { type Customers, customerOf, personOf } from './customers.ts'
import { realTiming, type Timing } from './frame-loop.ts'

const PAGE = 100
/** The maximum number of customer events that one search reads. */
const MAX_PAGES = 50
/** The minimum interval between two searches. */
const INTERVAL_MS = 2_000

type Watched = {
  readonly client: Pick<Client, 'events'>
  readonly merchant: string | undefined
  readonly signal: AbortSignal
  readonly isKnown: (id: string) => boolean
  readonly onCustomers: (customers: Customers) => void
  /** An internal error. */
  readonly failed: (error: unknown) => void
  readonly timing?: Timing
}

/**
 * Reads the names of customers that events mention. The admin API has no list of customers, but events of customers contain
 * their names. Customers that no event names are not searched for again.
 */
export class CustomerWatch {
  readonly #watched: Watched
  readonly #timing: Timing
  readonly #wanted = new Set<string>()
  #missing = new Set<string>()
  #isBusy = false
  #cancel: () => void = () => undefined

  constructor(watched: Watched) {
    this.#watched = watched
    this.#timing = watched.timing ?? realTiming
    watched.signal.addEventListener('abort', () => this.#cancel(), { once: true })
  }

  /** Reads the names of the customers of these events, if they are not known. */
  want(events: readonly Event[]): void {
    try {
      for (const event of events) this.#want(customerOf(event))
    } catch (error) {
      this.#watched.failed(error)
    }
    this.#start()
  }

  /** Forgets which customers were not found, because the sandbox was reset or restored. */
  forget(): void {
    this.#missing = new Set()
    this.#wanted.clear()
  }

  #want(id: string | null): void {
    if (id !== null && !this.#missing.has(id) && !this.#watched.isKnown(id)) this.#wanted.add(id)
  }

  #start(): void {
    if (this.#isBusy || this.#wanted.size === 0 || this.#watched.signal.aborted) return
    this.#isBusy = true
    this.#search().catch(this.#watched.failed)
  }

  async #search(): Promise<void> {
    const wanted = new Set(this.#wanted)
    this.#wanted.clear()
    const missing = this.#missing
    const found = await this.#find(wanted)
    // After a reset, names of the previous history do not apply.
    if (found && missing === this.#missing) {
      for (const id of wanted) if (!found.has(id)) missing.add(id)
      this.#watched.onCustomers(found)
    }
    this.#cancel = this.#timing.later(() => {
      this.#isBusy = false
      this.#start()
    }, INTERVAL_MS)
  }

  /** Finds names; undefined if the daemon does not answer, which the stream of events reports. */
  async #find(wanted: ReadonlySet<string>): Promise<Customers | undefined> {
    try {
      return await this.#read(wanted)
    } catch (error) {
      if (error instanceof Refused || error instanceof Unreachable) return undefined
      throw error
    }
  }

  /** Reads events of customers, newest first, until all wanted names are found. */
  async #read(wanted: ReadonlySet<string>): Promise<Customers> {
    const { client, merchant, signal } = this.#watched
    const found = new Map<string, ReturnType<typeof personOf>>()
    const left = new Set(wanted)
    let starting_after: string | undefined
    for (let page = 0; page < MAX_PAGES && left.size > 0 && !signal.aborted; page += 1) {
      const { data, has_more } = await client.events({
        merchant,
        types: ['customer.*'],
        limit: PAGE,
        starting_after,
      })
      for (const {
        data: { object },
      } of data) {
        left.delete(object.id)
        if (!found.has(object.id)) found.set(object.id, personOf(object))
      }
      starting_after = data.at(-1)?.id
      if (!has_more) break
    }
    return new Map([...found].reverse())
  }
}
