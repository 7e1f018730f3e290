import type { KeyRow } from '../engine/access/keys.ts'

/**
 * Warns of short keys, once for each. Only a daemon that others can reach needs this.
 * See docs/contract/authentication.md#secret-keys.
 */
export function warnOfShortKeys(log: { warn(text: string): void }) {
  const warned = new Set<string>()
  return ({ id, hint }: KeyRow): void => {
    if (warned.has(id)) return
    warned.add(id)
    log.warn(
      `the key ${id} (${hint}) is short and can be guessed by everyone who can reach this daemon. Revoke it, and use a key with at least 24 characters after its prefix`,
    )
  }
}
