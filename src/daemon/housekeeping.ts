import { deleteExpiredGrants } from '../engine/access/expired-grants.ts'
import type { IdempotencyKeys } from '../engine/access/idempotency.ts'
import type { KeyRing } from '../engine/access/keys.ts'
import { limitRequests } from '../engine/access/oauth-authorization.ts'
import type { Engine } from '../engine/machine/engine.ts'
import { workBriefly } from '../engine/machine/gate.ts'
import { recordLiveClocks } from '../engine/machine/live-clocks.ts'
import type { AdminServices } from '../http/admin/services.ts'
import type { DashboardAccess } from '../http/dashboard/access.ts'
import { mayBeOfStorage } from '../store/unusable.ts'

/** Runs housekeeping in the background, one run at a time. */
export class Housekeeping {
  readonly #doHousekeeping: () => Promise<void>
  readonly #failed: (error: unknown) => void
  #underWay: Promise<void> | undefined

  constructor(doHousekeeping: () => Promise<void>, failed: (error: unknown) => void) {
    this.#doHousekeeping = doHousekeeping
    this.#failed = failed
  }

  /** Starts housekeeping, unless it is already running. */
  begin(): void {
    this.#underWay ??= this.#doHousekeeping()
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

/** The parts of a sandbox that have deferred work. */
type Parts = Pick<AdminServices, 'reportError'> & {
  readonly engine: Engine
  readonly keys: KeyRing
  readonly idempotency: IdempotencyKeys
  readonly access: Pick<DashboardAccess, 'deleteExpired'>
  readonly webhooks: { readonly sendReady: () => void }
}

/**
 * Empties the write-ahead log, writes when keys were last used, deletes expired data, and sends webhooks that are still
 * due.
 */
export async function doHousekeeping({
  engine,
  keys,
  idempotency,
  access,
  webhooks,
  reportError,
}: Parts): Promise<void> {
  emptyLog(engine, reportError)
  await keys.flush()
  await deleteExpired({ engine, idempotency, access })
  webhooks.sendReady()
}

/**
 * Limits the lifetimes of what was created when the wall clock was ahead: at a start, and after a restore. Must be called within a
 * transaction.
 * See docs/contract/clocks.md#wall-clock.
 */
export function limitLifetimes({ engine, idempotency }: Pick<Parts, 'engine' | 'idempotency'>): void {
  idempotency.limitLifetimes()
  limitRequests(engine)
}

/**
 * Deletes what has expired, and records the time of live clocks. Also runs when the daemon ends, because the wall clock may be
 * set back before the next start. Expired data must not become valid again, and live clocks must not go back.
 */
export async function deleteExpired({
  engine,
  idempotency,
  access,
}: Pick<Parts, 'engine' | 'idempotency' | 'access'>): Promise<void> {
  await engine.operatorCommand(() => limitLifetimes({ engine, idempotency }))
  const grants = deleteExpiredGrants(engine)
  const deleteGrants = () => workBriefly(() => !grants.next().done)
  // Other commands run in between.
  const deleteSome = () => engine.operatorCommand(() => idempotency.deleteExpired() || deleteGrants())
  while (await deleteSome());
  await recordLiveClocks(engine)
  access.deleteExpired()
}

/** Empties the write-ahead log. Runs before all writes, because it can free space on a full disk. */
function emptyLog({ store }: Engine, reportError: Parts['reportError']): void {
  try {
    store.emptyLog()
  } catch (error) {
    if (!mayBeOfStorage(error)) throw error
    reportError(error, 'moving the log into the database')
  }
}
