import type { MerchantState } from '../engine/merchant-state.ts'

/** Who sends a request. */
export type Caller = {
  readonly merchant: MerchantState
  /** A publishable key's: may do only what a browser may. */
  readonly isPublic: boolean
  /** The key's id, or the name by which an access token is known. */
  readonly keyId: string
  /** The key as it is shown: its beginning and its last four characters. */
  readonly keyHint: string
  /** Within which idempotency keys are told apart. */
  readonly scope: string
  /** Whether it opens for longer than this request: a key that was revoked may go on working for a while. */
  readonly lasts: boolean
  /** Whether it opens still, for a request that has waited since it was let in. */
  readonly opens: () => boolean
}
