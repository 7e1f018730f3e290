import { ApiError } from '../core/errors.ts'
import type { Merchant } from '../store/directory.ts'
import type { Clock } from './clock.ts'

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

/** @throws StateReplaced, MerchantDeleted when this is no longer the merchant */
export function checkPresent({ standing, settings }: MerchantState): void {
  if (standing === 'replaced') throw new StateReplaced(`the state of ${settings.id} was replaced`)
  if (standing === 'deleted') throw new MerchantDeleted(settings.id)
}

/** For what is done now and then for every merchant: one that was left behind meanwhile needs it no more. */
export function unlessLeftBehind(error: unknown): void {
  if (!(error instanceof StateReplaced || error instanceof MerchantDeleted)) throw error
}
