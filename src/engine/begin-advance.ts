import type { Clock } from './clock.ts'
import type { Engine } from './engine.ts'
import type { MerchantState } from './merchant-state.ts'
import type { AdvanceOptions, Summary } from './scheduler.ts'
import { ClockHeld } from './unit.ts'

/**
 * Begins to move a clock forward, from due job to due job. It waits for an advance that is under way.
 * @param aim - the target in Unix seconds, computed from the clock's instant when the advance begins
 * @param options.stop_on - types of events after whose first the advance ends
 * @param options.await_webhooks - whether each step waits until the webhooks of the step before are answered
 * @param options.param - the parameter to blame when the target is not ahead
 * @param options.clockParam - the parameter that names a test clock; "id" for a path
 * @param options.checkCredentials - throws when the caller may not begin it any more, after waiting
 * @param options.begun - what else to write when it begins, in the same transaction
 * @throws ApiError resource_missing for a test clock that was deleted while the advance waited; parameter_invalid for its target
 * @returns when it has begun; `done` resolves with what it did, when it has ended or was canceled
 * See docs/contract/clocks.md#advancing.
 */
export async function beginAdvance(
  engine: Engine,
  { merchant, clock }: { readonly merchant: MerchantState; readonly clock: Clock },
  aim: (now: number) => number,
  {
    param,
    clockParam,
    begun,
    checkCredentials,
    ...options
  }: Partial<AdvanceOptions> & {
    param: string
    clockParam?: string
    begun?: () => void
    checkCredentials?: () => void
  },
): Promise<{ readonly done: Promise<Summary> }> {
  const begin = { beginsAdvance: true }
  const { done } = await engine.command(
    merchant,
    null,
    (unit) => {
      if (merchant.held.has(clock) || clock.target !== null) throw new ClockHeld(clock)
      checkCredentials?.()
      if (clock.isTest) merchant.testClocks.named(clock.id, clockParam)
      const started = engine.time.start(unit, clock, { target: aim(clock.instant), param, options })
      begun?.()
      return { done: started }
    },
    begin,
  )
  engine.time.release(clock)
  return { done: options.await_webhooks ? deliveredToo(engine, merchant, done) : done }
}

/** Waits for the webhooks of the last step too: when an event has ended the advance, no further step does so. */
async function deliveredToo(
  { outbox }: Engine,
  merchant: MerchantState,
  done: Promise<Summary>,
): Promise<Summary> {
  const summary = await done
  if (summary.stopped_on !== null) await outbox.settled(merchant)
  return summary
}
