import { deletableBefore, type FirstToExpire } from '../../store/oauth-expiry.ts'
import { wallSeconds } from '../machine/clock.ts'
import type { Engine } from '../machine/engine.ts'
import { merchantOfGeneration } from '../machine/merchant-state.ts'
import { expireRequests } from './oauth-authorization.ts'

/**
 * Marks expired requests, and deletes what expired long ago: requests, tokens, and codes that were not redeemed. Each step must run
 * within a transaction. It changes a limited number of rows, or looks at the next merchant, so that its work depends neither on the
 * number of rows nor on that of merchants. Other commands may run between two steps.
 */
export function* deleteExpiredGrants(engine: Engine): Generator<void, void> {
  const { oauthExpiry } = engine.store
  while (expireRequests(engine) > 0) yield
  while (oauthExpiry.deleteRequests(wallSeconds(engine.steady)) > 0) yield
  yield* deleteOfMerchants(engine, {
    next: (after) => oauthExpiry.nextToken(after),
    remove: (generation, before) => oauthExpiry.deleteTokens(generation, before),
  })
  yield* deleteOfMerchants(engine, {
    next: (after) => oauthExpiry.nextCode(after),
    remove: (generation, before) => oauthExpiry.deleteCodes(generation, before),
  })
}

/** How the rows of one kind are found and deleted, on the clocks of their merchants. */
type Rows = {
  readonly next: (after: number) => FirstToExpire | undefined
  readonly remove: (generation: number, before: number) => number
}

/** Visits only merchants with such rows, and changes only what has expired. */
function* deleteOfMerchants(engine: Engine, { next, remove }: Rows): Generator<void, void> {
  for (let first = next(0); first; first = next(first.generation)) {
    const { generation, expires } = first
    // A merchant that is deleted or replaced meanwhile has no clock any more.
    const deleteSome = (): boolean => {
      const clock = merchantOfGeneration(engine.merchants, first)?.clock
      if (!clock) return false
      const before = deletableBefore(clock.reached)
      return expires < before && remove(generation, before) > 0
    }
    while (deleteSome()) yield
    yield
  }
}
