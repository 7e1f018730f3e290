import type { KeyRow } from '../engine/keys.ts'
import type { Caller } from './caller.ts'

const MOST_HEADERS = 256

/** A caller whose key was valid, and that key as the key ring holds it. */
type Known = { readonly caller: Caller; readonly key: KeyRow }

/**
 * The callers of the last requests by their Authorization header, in memory only: nearly all requests repeat a header, and need
 * not be decoded and hashed again. An entry is never trusted for longer than its key and its merchant allow.
 */
export class CallerCache {
  readonly #known = new Map<string, Known>()

  /** The key and the caller of a header; undefined unless its key is valid now. */
  find(header: string): Known | undefined {
    const known = this.#known.get(header)
    if (!known) return undefined
    if (known.key.revoked === null && known.caller.merchant.standing === 'present') return known
    this.#known.delete(header)
    return undefined
  }

  keep(header: string, known: Known): void {
    if (this.#known.size >= MOST_HEADERS) this.#known.clear()
    this.#known.set(header, known)
  }
}
