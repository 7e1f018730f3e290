import type { Store } from '../../store/store.ts'
import { type Wall, wallSeconds } from '../machine/clock.ts'
import { workBriefly } from '../machine/gate.ts'
import { LimitedTurns } from '../machine/limited-turns.ts'

/** The time for which a response is stored, in seconds of real time. See docs/contract/idempotency.md#retention. */
const RETENTION_SECONDS = 86_400

/** A stored response. */
export type StoredResponse = {
  readonly fingerprint: string
  readonly status: number
  readonly api_version: string
  readonly body: string
}

/** The key of a request. */
export type IdempotencyKey = {
  readonly scope: string
  readonly key: string
  /** In whose turn the stored response is read. */
  readonly owner: object
}

/** A request in progress, for which others with the same key wait. */
export type Entry = {
  /** The stored response; undefined for the first request with this key. */
  readonly stored: StoredResponse | undefined
  /** Stores a response. Must be called within the transaction that writes what the response reports. */
  store(response: StoredResponse): void
  /** Deletes the response. Must be called within a transaction. */
  remove(): void
  /** Admits the next request with the key. */
  release(): void
}

/**
 * Idempotency keys: the first request with a key runs; the others wait for it and get its response.
 * See docs/contract/idempotency.md#concurrent-requests.
 */
export class IdempotencyKeys {
  readonly #store: Store
  readonly #time: Wall
  /** For each key in use, a promise that resolves when its last request so far has released it. */
  readonly #last = new Map<string, Promise<void>>()
  readonly #turns: LimitedTurns

  /**
   * @param time - never goes back: expired responses stay expired when the wall clock is set back
   * @param turns - in which stored responses are read
   */
  constructor(store: Store, time: Wall, turns = new LimitedTurns()) {
    this.#store = store
    this.#time = time
    this.#turns = turns
  }

  /** Acquires a key, after every earlier request with it has released it. @throws when the disk cannot be read */
  async acquire(used: IdempotencyKey): Promise<Entry> {
    const { scope, key, owner } = used
    const name = `${scope} ${key}`
    const before = this.#last.get(name)
    const { promise, resolve } = gate()
    this.#last.set(name, promise)
    const release = () => {
      if (this.#last.get(name) === promise) this.#last.delete(name)
      else this.#turns.run(owner, resolve)
    }
    await before
    return {
      stored: await this.#storedResponse(used, release),
      store: (response) => {
        this.#store.idempotency.put({ scope, key, ...response, created: wallSeconds(this.#time) })
      },
      remove: () => this.#store.idempotency.remove({ scope, key }),
      release,
    }
  }

  /** Returns the stored response of a key. If it cannot be read, releases the key. */
  async #storedResponse(used: IdempotencyKey, release: () => void): Promise<StoredResponse | undefined> {
    try {
      return this.#store.idempotency.has(used.scope, used.key) ? await this.#read(used) : undefined
    } catch (error) {
      release()
      throw error
    }
  }

  /**
   * Makes responses that were stored when the wall clock was ahead count as stored now. Must be called within a transaction.
   * See docs/contract/clocks.md#wall-clock.
   */
  limitLifetimes(): void {
    this.#store.idempotency.limit(wallSeconds(this.#time))
  }

  /** Deletes expired responses for a limited time. Must be called within a transaction. @returns whether some may be left */
  deleteExpired(): boolean {
    const before = wallSeconds(this.#time) - RETENTION_SECONDS
    return workBriefly(() => this.#store.idempotency.forgetSome(before) > 0)
  }

  /** Reads a response, which may be long, in a turn of its owner: many requests may ask for it in one instant. */
  async #read({ scope, key, owner }: IdempotencyKey): Promise<StoredResponse | undefined> {
    if (!this.#turns.isFreeFor(owner)) await this.#turns.next(owner)
    const row = this.#store.idempotency.get(scope, key)
    return row && row.created >= wallSeconds(this.#time) - RETENTION_SECONDS ? row : undefined
  }
}

function gate(): { promise: Promise<void>; resolve: () => void } {
  let open: () => void = () => undefined
  const promise = new Promise<void>((resolve) => {
    open = resolve
  })
  return { promise, resolve: open }
}
