import type { Engine } from './engine/engine.ts'
import type { IdempotencyKeys } from './engine/idempotency.ts'
import type { KeyRing } from './engine/keys.ts'
import { deleteExpiredGrants } from './engine/oauth-token.ts'
import type { AdminServices } from './http/admin/services.ts'
import { isOfStorage } from './store/unusable.ts'

/** Keeps house in the background, once at a time. */
export class Housekeeping {
  readonly #keepHouse: () => Promise<void>
  readonly #failed: (error: unknown) => void
  #underWay: Promise<void> | undefined

  constructor(keepHouse: () => Promise<void>, failed: (error: unknown) => void) {
    this.#keepHouse = keepHouse
    this.#failed = failed
  }

  /** Begins to keep house, unless that is under way. */
  begin(): void {
    this.#underWay ??= this.#keepHouse()
      .catch(this.#failed)
      .finally(() => {
        this.#underWay = undefined
      })
  }

  /** Resolves when no housekeeping is under way. */
  async ended(): Promise<void> {
    await this.#underWay
  }
}

/** The parts of a sandbox that leave something for later. */
type Parts = Pick<AdminServices, 'reportError'> & {
  readonly engine: Engine
  readonly keys: KeyRing
  readonly idempotency: IdempotencyKeys
  readonly webhooks: { readonly sendReady: () => void }
}

/**
 * Empties the write-ahead log, writes when keys were last used, forgets what has expired, and sends webhooks that were left
 * behind.
 */
export async function keepHouse({ engine, keys, idempotency, webhooks, reportError }: Parts): Promise<void> {
  emptyLog(engine, reportError)
  await keys.flush()
  await engine.operatorCommand(() => {
    idempotency.forgetExpired()
    deleteExpiredGrants(engine)
  })
  webhooks.sendReady()
}

/** Comes before everything that writes, because on a full disk it may make room. */
function emptyLog({ store }: Engine, reportError: Parts['reportError']): void {
  try {
    store.emptyLog()
  } catch (error) {
    if (!isOfStorage(error)) throw error
    reportError(error, 'moving the log into the database')
  }
}
