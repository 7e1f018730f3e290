import { type FirstToExpire, forgottenBefore } from '../../store/oauth-expiry.ts'
import { wallSeconds } from '../machine/clock.ts'
import type { Engine } from '../machine/engine.ts'
import { merchantOfGeneration } from '../machine/merchant-state.ts'
import { expireRequests } from './oauth-authorization.ts'

/**
 * Marks expired requests, and deletes what expired long ago: requests, tokens, and codes that were not redeemed. Each step must run
 * within a transaction. It changes a limited number of rows, or looks at the next merchant, so that its work depends neither on the
 * number of rows nor on that of merchants. Other commands may run between two steps.
 */
export function* forgetExpiredGrants(engine: Engine): Generator<void, void> {
  const { oauthExpiry } = engine.store
  while (expireRequests(engine) > 0) yield
  while (oauthExpiry.forgetRequests(wallSeconds(engine.steady)) > 0) yield
  yield* forgetOfMerchants(engine, {
    next: (after) => oauthExpiry.nextToken(after),
    forget: (generation, before) => oauthExpiry.forgetTokens(generation, before),
  })
  yield* forgetOfMerchants(engine, {
    next: (after) => oauthExpiry.nextCode(after),
    forget: (generation, before) => oauthExpiry.forgetCodes(generation, before),
  })
}

/** How the rows of one kind are found and deleted, on the clocks of their merchants. */
type Rows = {
  readonly next: (after: number) => FirstToExpire | undefined
  readonly forget: (generation: number, before: number) => number
}

/** Visits only merchants with such rows, and changes only what has expired. */
function* forgetOfMerchants(engine: Engine, { next, forget }: Rows): Generator<void, void> {
  for (let first = next(0); first; first = next(first.generation)) {
    const { generation, expires } = first
    // A merchant that is deleted or replaced meanwhile has no clock any more.
    const forgetSome = (): boolean => {
      const clock = merchantOfGeneration(engine.merchants, first)?.clock
      if (!clock) return false
      const before = forgottenBefore(clock.reached)
      return expires < before && forget(generation, before) > 0
    }
    while (forgetSome()) yield
    yield
  }
}
