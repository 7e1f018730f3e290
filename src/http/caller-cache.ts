import type { KeyRow } from '../engine/keys.ts'
import type { Caller } from './caller.ts'

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
