import type { Engine } from './engine/engine.ts'
import type { IdempotencyKeys } from './engine/idempotency.ts'
import type { KeyRing } from './engine/keys.ts'
import { forgetExpiredGrants } from './engine/oauth-token.ts'
import type { AdminSite } from './http/admin/site.ts'
import { isOfStorage } from './store/unusable.ts'

/** The parts of a sandbox that leave something for later. */
type Parts = Pick<AdminSite, 'reportError'> & {
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
  await engine.administer(() => {
    idempotency.forgetExpired()
    forgetExpiredGrants(engine)
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
