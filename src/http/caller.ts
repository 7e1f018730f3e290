import type { MerchantState } from '../engine/merchant-state.ts'

/** The authenticated sender of a request. */
export type Caller = {
  readonly merchant: MerchantState
  /** Whether it has a publishable key, which only some routes accept. */
  readonly isPublic: boolean
  /** The id of the key, or the name of an access token in the log. */
  readonly keyId: string
  /** The hint of the key: its prefix and its last four characters. */
  readonly keyHint: string
  /** The namespace of its idempotency keys. */
  readonly scope: string
  /** Whether the key is revoked. It can still be accepted for some seconds: see --key-cache-ttl. */
  readonly isRevoked: boolean
  /** Returns whether the credentials are valid now, for a request that has waited since its authentication. */
  readonly isValid: () => boolean
}
