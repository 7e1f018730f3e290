import type { Store } from '../store/store.ts'
import { type Wall, wallSeconds } from './clock.ts'

/** How long an answer is kept, in seconds of real time. See docs/contract/idempotency.md#retention. */
const RETENTION_SECONDS = 86_400

/** An answer as it was given first. */
export type StoredAnswer = {
  readonly fingerprint: string
  readonly status: number
  readonly api_version: string
  readonly body: string
}

/** A request under way that others with the same key wait for. */
export type Entry = {
  /** The answer given before; undefined for the first request with this key. */
  readonly stored: StoredAnswer | undefined
  /** Keeps an answer; to be called within the transaction that holds what it tells of. */
  keep(answer: StoredAnswer): void
  /** Forgets it again; to be called within a transaction. */
  forget(): void
  /** Lets the next one in. */
  leave(): void
}

/**
 * Idempotency keys: the first request with a key runs, others wait for it and get its answer.
 * See docs/contract/idempotency.md#concurrent-requests.
 */
export class IdempotencyKeys {
  readonly #store: Store
  readonly #time: Wall
  readonly #underWay = new Map<string, Promise<void>>()

  /** @param time - never goes back: what was forgotten stays so when the wall clock is set back */
  constructor(store: Store, time: Wall) {
    this.#store = store
    this.#time = time
  }

  /** Enters with a key, after every request that entered with it before has left. */
  async enter(scope: string, key: string): Promise<Entry> {
    const name = `${scope} ${key}`
    for (let before = this.#underWay.get(name); before; before = this.#underWay.get(name)) await before
    const { promise, resolve } = gate()
    this.#underWay.set(name, promise)
    return {
      stored: this.#find(scope, key),
      keep: (answer) => {
        this.#store.idempotency.put({ scope, key, ...answer, created: wallSeconds(this.#time) })
      },
      forget: () => this.#store.idempotency.remove({ scope, key }),
      leave: () => {
        this.#underWay.delete(name)
        resolve()
      },
    }
  }

  /** Forgets what nobody may ask for any more; to be called within a transaction. */
  forgetExpired(): void {
    this.#store.idempotency.forget(wallSeconds(this.#time) - RETENTION_SECONDS)
  }

  #find(scope: string, key: string): StoredAnswer | undefined {
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
