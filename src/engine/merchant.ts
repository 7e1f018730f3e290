import { ApiError, assert } from '../core/errors.ts'
import type { Merchant, StoredClock } from '../store/directory.ts'
import { Clock, type Wall } from './clock.ts'

/** A merchant in memory: its settings, its clocks, and what waits while an advance is under way. */
export type MerchantState = {
  settings: Merchant
  readonly clock: Clock
  readonly testClocks: Map<string, Clock>
  /** Whether an advance holds back this merchant's writes. */
  isAdvancing: boolean
  /** The commands that arrived meanwhile, in their order. */
  readonly waiting: Waiting[]
  /** Whether this is still the merchant, or has been left behind: by a restore or a reset, or since it was deleted. */
  standing: 'present' | 'replaced' | 'deleted'
}

/** A command that waits for an advance to end: how to go on with it, and how to send it away. */
export type Waiting = { readonly requeue: () => void; readonly reject: (error: unknown) => void }

/** A merchant as the database has it. @param clocks - those of all merchants */
export function merchantOf(settings: Merchant, clocks: readonly StoredClock[], wall: Wall): MerchantState {
  const rows = clocks.filter(({ merchant }) => merchant === settings.ordinal)
  const [main, ...others] = rows.map((row) => new Clock(row, wall))
  assert(main, `${settings.id} has a clock`)
  return {
    settings,
    clock: main,
    testClocks: new Map(others.map((clock) => [clock.id, clock])),
    isAdvancing: false,
    waiting: [],
    standing: 'present',
  }
}

/** Whether an advance of one of its clocks was begun and has not ended. */
export const isUnfinished = ({ clock, testClocks }: MerchantState): boolean =>
  [clock, ...testClocks.values()].some(({ target }) => target !== null)

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

/** For what is done now and then for every merchant: one that was left behind meanwhile needs it no more. */
export function unlessLeftBehind(error: unknown): void {
  if (!(error instanceof StateReplaced || error instanceof MerchantDeleted)) throw error
}
