import { ApiError, assert } from '../core/errors.ts'
import type { Merchant } from '../store/directory.ts'
import type { Store } from '../store/store.ts'
import { Clock, type Wall } from './clock.ts'
import { EnabledEndpoints } from './enabled-endpoints.ts'
import { TestClocks } from './test-clock-cache.ts'

/** A merchant in memory: its settings, its clocks, and what waits while an advance is under way. */
export type MerchantState = {
  settings: Merchant
  /** The main clock, which everything follows that belongs to no customer on a test clock. */
  readonly clock: Clock
  readonly testClocks: TestClocks
  /**
   * The clocks that an advance holds, each with the commands that arrived meanwhile, in their order. The main clock holds
   * back all of the merchant's writes, a test clock those of its own customers.
   */
  readonly held: Map<Clock, Waiting[]>
  /** The held clocks whose advance lets commands in, while it waits for webhooks to be answered. */
  readonly parked: Set<Clock>
  /**
   * The clocks whose advance has stopped short of its end and will go on: when a full disk has room again, or at the next
   * start. Until then what follows such a clock cannot be written.
   */
  readonly stalled: Set<Clock>
  /** Who wants which events. */
  readonly endpoints: EnabledEndpoints
  /** Whether this is still the merchant, or has been left behind: by a restore or a reset, or since it was deleted. */
  standing: 'present' | 'replaced' | 'deleted'
}

/** A command that waits for an advance to end: how to go on with it, and how to send it away. */
export type Waiting = { readonly requeue: () => void; readonly reject: (error: unknown) => void }

/** The merchant of this birth, if it is there now: after a restore another one may have its ordinal. */
export function bornAs(
  merchants: ReadonlyMap<number, MerchantState>,
  { merchant, birth }: { readonly merchant: number; readonly birth: number },
): MerchantState | undefined {
  const owner = merchants.get(merchant)
  return owner?.settings.birth === birth ? owner : undefined
}

/** A merchant as the database has it. */
export function merchantOf(settings: Merchant, store: Store, wall: Wall): MerchantState {
  const { clocks } = store
  const main = clocks.main(settings.ordinal)
  assert(main, `${settings.id} has a clock`)
  return {
    settings,
    clock: new Clock(main, wall),
    testClocks: new TestClocks(clocks, settings.ordinal, wall),
    held: new Map(),
    parked: new Set(),
    stalled: new Set(),
    endpoints: new EnabledEndpoints(store, settings.ordinal),
    standing: 'present',
  }
}

/** Whether an advance of one of its clocks was begun and has not ended. */
export const isUnfinished = ({ clock, testClocks }: MerchantState): boolean =>
  clock.target !== null || testClocks.advancing().length > 0

/**
 * The state that a request has looked at was replaced by another before the request could act. It has done nothing, and
 * begins anew: then it comes after the replacement as a whole.
 */
export class StateReplaced extends Error {}

/** The merchant that a request named was deleted before the request could act. */
export class MerchantDeleted extends ApiError {
  constructor(id: string) {
    super({
      status: 404,
      type: 'invalid_request_error',
      code: 'resource_missing',
      message: `No such merchant: '${id}'`,
      param: 'merchant',
    })
  }
}

/** Why this is no longer the merchant; undefined while it is. */
export function leftBehindBy({
  standing,
  settings,
}: MerchantState): StateReplaced | MerchantDeleted | undefined {
  if (standing === 'replaced') return new StateReplaced(`the state of ${settings.id} was replaced`)
  return standing === 'deleted' ? new MerchantDeleted(settings.id) : undefined
}

/** @throws StateReplaced, MerchantDeleted when this is no longer the merchant */
export function checkPresent(merchant: MerchantState): void {
  const reason = leftBehindBy(merchant)
  if (reason) throw reason
}
