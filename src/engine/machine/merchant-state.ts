import { ApiError, assert } from '../../core/errors.ts'
import type { Merchant } from '../../store/directory.ts'
import type { Store } from '../../store/store.ts'
import { EnabledEndpoints } from '../resources/enabled-endpoints.ts'
import { Clock, type Wall } from './clock.ts'
import { TestClocks } from './test-clock-cache.ts'
import type { TransactionLog } from './transaction-log.ts'

/** A merchant in memory: its settings, its clocks, and the commands that wait for an advance. */
export type MerchantState = {
  settings: Merchant
  /** The main clock of everything that belongs to no customer on a test clock. */
  readonly clock: Clock
  readonly testClocks: TestClocks
  /**
   * The clocks that an advance holds, each with its waiting commands, in order. The main clock holds back all of the
   * merchant's writes, a test clock those of its own customers.
   */
  readonly held: Map<Clock, Waiting[]>
  /** The held clocks whose advance admits commands while it waits for webhooks, each with how to end the wait. */
  readonly parked: Map<Clock, () => void>
  /**
   * The clocks whose advance has stopped before its end and will continue: when the disk works again, or at the
   * next start. Until then nothing that follows such a clock can be written.
   */
  readonly stalled: Set<Clock>
  /** The commands that wait while the merchant is being deleted; null otherwise. */
  awaitingDeletion: Waiting[] | null
  /** The enabled webhook endpoints. */
  readonly endpoints: EnabledEndpoints
  /** Whether this object is current, or the merchant was replaced by a restore or a reset, or deleted. */
  presence: 'present' | 'replaced' | 'deleted'
}

/** A command that waits, for example for an advance: how to run it again, and how to reject it. */
export type Waiting = { readonly requeue: () => void; readonly reject: (error: unknown) => void }

/** Finds the merchant with a generation; after a restore another merchant may have its ordinal. */
export function merchantOfGeneration(
  merchants: ReadonlyMap<number, MerchantState>,
  { merchant, generation }: { readonly merchant: number; readonly generation: number },
): MerchantState | undefined {
  const owner = merchants.get(merchant)
  return owner?.settings.generation === generation ? owner : undefined
}

/** Loads a merchant from the database. */
export function merchantOf(
  settings: Merchant,
  { store, wall, log }: { readonly store: Store; readonly wall: Wall; readonly log: TransactionLog },
): MerchantState {
  const { ordinal: merchant } = settings
  const main = store.clocks.main(merchant)
  assert(main, `${settings.id} has a clock`)
  return {
    settings,
    clock: new Clock(main, wall),
    testClocks: new TestClocks({ table: store.clocks, merchant, wall, log }),
    held: new Map(),
    parked: new Map(),
    stalled: new Set(),
    awaitingDeletion: null,
    endpoints: new EnabledEndpoints(store, merchant),
    presence: 'present',
  }
}

/** Reports whether an advance of one of its clocks has begun and not ended. */
export const isUnfinished = ({ clock, testClocks }: MerchantState): boolean =>
  clock.target !== null || testClocks.advancing().length > 0

/**
 * The state that a request had read was replaced before the request could act. The request has done nothing and starts
 * over, so that it comes after the replacement.
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

/** Returns the error for a merchant that was replaced or deleted; undefined for a current one. */
export function absenceOf({
  presence,
  settings,
}: MerchantState): StateReplaced | MerchantDeleted | undefined {
  if (presence === 'replaced') return new StateReplaced(`the state of ${settings.id} was replaced`)
  return presence === 'deleted' ? new MerchantDeleted(settings.id) : undefined
}

/** @throws StateReplaced, MerchantDeleted when the merchant is not current */
export function checkCurrent(merchant: MerchantState): void {
  const reason = absenceOf(merchant)
  if (reason) throw reason
}

/** Makes writes that follow a clock wait. @returns the list in which they wait */
export function hold(merchant: MerchantState, clock: Clock): Waiting[] {
  assert(!merchant.held.has(clock), `only one advance moves ${clock.id}`)
  const waiting: Waiting[] = []
  merchant.held.set(clock, waiting)
  return waiting
}
