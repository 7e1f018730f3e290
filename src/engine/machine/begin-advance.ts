import { unlessAborted } from './abort.ts'
import type { Clock } from './clock.ts'
import type { Engine } from './engine.ts'
import type { MerchantState } from './merchant-state.ts'
import { type AdvanceOptions, EMPTY_SUMMARY, type Summary } from './stored-advance.ts'
import { ClockHeld } from './unit.ts'

/** A clock and its merchant. */
export type MerchantClock = { readonly merchant: MerchantState; readonly clock: Clock }

/**
 * Starts to advance clocks of different merchants, job by job: all of them or none. It first waits until no
 * other advance of these clocks is in progress.
 * @param targetAt - the target in Unix seconds, computed from a clock's instant when the advance begins
 * @param options.stop_on - event types; the advance ends after the first event of one of them
 * @param options.await_webhooks - whether each step waits until the webhooks of the step before are answered
 * @param options.async - whether the caller does not wait for the end, and so not for the webhooks of the last step
 * @param options.param - the parameter that the error names if the target is not ahead
 * @param options.clockParam - the parameter that names a test clock; "id" for a path
 * @param options.checkCredentials - throws if the credentials are no longer valid after the wait
 * @param options.onBegin - writes additional rows in the transaction that starts the advance
 * @param options.signal - cancels this advance, also while it waits, and no other advance of the clocks
 * @throws ApiError resource_missing for a test clock that was deleted while the advance waited; parameter_invalid for its target
 * @throws MerchantDeleted when a merchant was deleted while the advance waited
 * @returns once the advance has started or was canceled: for each clock, a promise of the summary at the end of the advance
 * See docs/contract/clocks.md#advancing.
 */
export async function beginAdvance(
  engine: Engine,
  clocks: readonly MerchantClock[],
  targetAt: (now: number) => number,
  {
    param,
    clockParam,
    onBegin,
    checkCredentials,
    signal,
    async: isAsync = false,
    ...options
  }: Partial<AdvanceOptions> & {
    param: string
    clockParam?: string
    onBegin?: () => void
    checkCredentials?: () => void
    signal?: AbortSignal
    async?: boolean | undefined
  },
): Promise<{ readonly done: readonly Promise<Summary>[] }> {
  const beginning = engine.commandAll(
    clocks.map(({ merchant }) => merchant),
    (unitOf) => {
      if (signal?.aborted) return undefined
      for (const { merchant, clock } of clocks) {
        if (merchant.held.has(clock) || clock.target !== null) throw new ClockHeld(clock)
      }
      checkCredentials?.()
      const targets = clocks.map(({ merchant, clock }) => {
        if (clock.isTest) merchant.testClocks.named(clock.id, clockParam)
        const target = targetAt(clock.instant)
        engine.time.check(clock, target, param)
        return { merchant, clock, target }
      })
      const started = targets.map(({ merchant, clock, target }) => ({
        merchant,
        clock,
        done: engine.time.start(unitOf(merchant), clock, { target, param, options }),
      }))
      onBegin?.()
      return started
    },
    { advances: clocks.map(({ clock }) => clock), signal },
  )
  const started = await (signal ? unlessAborted(beginning, signal) : beginning)
  if (!started) return { done: clocks.map(async () => EMPTY_SUMMARY) }
  for (const { clock } of started) engine.time.release(clock)
  if (signal) cancelOnAbort(engine, signal, started)
  return {
    done: started.map(({ merchant, done }) =>
      options.await_webhooks && !isAsync ? deliveredToo(engine, merchant, done, signal) : done,
    ),
  }
}

/** Waits for the webhooks of the last step if an event ended the advance, because then no further step waits for them. */
async function deliveredToo(
  { outbox }: Engine,
  merchant: MerchantState,
  done: Promise<Summary>,
  signal?: AbortSignal,
): Promise<Summary> {
  const summary = await done
  if (summary.stopped_on !== null) await outbox.answered(merchant, signal)
  return summary
}

/** Cancels advances when the signal is aborted, or was, unless they have ended by then. */
function cancelOnAbort(
  engine: Engine,
  signal: AbortSignal,
  started: readonly (MerchantClock & { readonly done: Promise<Summary> })[],
): void {
  const running = new Set(started)
  const cancel = () => {
    for (const { merchant, clock } of running) engine.time.cancel(merchant, clock)
  }
  for (const each of started) {
    // Another advance of the clock may begin right after this one.
    const end = () => {
      running.delete(each)
      if (running.size === 0) signal.removeEventListener('abort', cancel)
    }
    each.done.then(end, end)
  }
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel, { once: true })
}
