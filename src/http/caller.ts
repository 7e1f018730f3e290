import type { KeyRow } from '../engine/access/keys.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'

/** The authenticated sender of a request. */
export type Caller = {
  readonly merchant: MerchantState
  /** Whether it has a publishable key, which only some routes accept. */
  readonly isPublic: boolean
  /** Whether the operator sends the request. Request faults and the rate limit do not apply to it. */
  readonly isOperator?: true
  /** The id of the key; for an access token see tokenKey. */
  readonly keyId: string
  /** The hint of the key: its prefix and its last four characters. */
  readonly keyHint: string
  /** The namespace of its idempotency keys. */
  readonly scope: string
  /** Whether the key is revoked. It can still be accepted for some seconds: see --key-cache-ttl. */
  readonly isRevoked: boolean
  /** When an access token expires, in Unix seconds on the merchant's clock. */
  readonly expires?: number
  /** Returns whether the credentials are valid now, for a request that has waited since its authentication. */
  readonly isValid: () => boolean
}

const MAX_HEADERS = 256

/** An authenticated caller, and the row of its key in the key ring. */
type Known = { readonly caller: Caller; readonly key: KeyRow }

/**
 * Caches callers by Authorization header, in memory. Nearly all requests repeat a header, which then need not be decoded and
 * hashed again. An entry is used only while its key is not revoked and its merchant exists.
 */
export class CallerCache {
  readonly #known = new Map<string, Known>()

  /** Returns the caller and the key of a header; undefined if the header is not cached or no longer valid. */
  find(header: string): Known | undefined {
    const known = this.#known.get(header)
    if (!known) return undefined
    if (known.key.revoked === null && known.caller.merchant.presence === 'present') return known
    this.#known.delete(header)
    return undefined
  }

  keep(header: string, known: Known): void {
    if (this.#known.size >= MAX_HEADERS) this.#known.clear()
    this.#known.set(header, known)
  }
}
