import { timingSafeEqual } from 'node:crypto'
import { assert, parameterInvalid, resourceMissing } from '../core/errors.ts'
import type { KeyRow } from '../store/tables.ts'
import { wallSeconds } from './clock.ts'
import { digest } from './digest.ts'
import type { Engine } from './engine.ts'
import { randomToken } from './ids.ts'
import { bornAs, checkPresent, type MerchantState } from './merchant-state.ts'

export type { KeyRow } from '../store/tables.ts'

const SECRET_LENGTH = 32
const PREFIXES = { secret: 'sk_test_', publishable: 'pk_test_' } as const
export const GIVEN_KEY = /^(sk|pk)_test_[A-Za-z0-9]{24,200}$/

/** A key to be issued, with its secret or a random one. */
export type NewKey = {
  /** The merchant's ordinal. */
  readonly merchant: number
  readonly type: KeyRow['type']
  readonly name: string | null
  readonly secret?: string | undefined
}

/** What is kept of a key's secret. */
export type SealedSecret = {
  readonly type: KeyRow['type']
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string
  readonly hint: string
}

/**
 * What is kept of a secret that was chosen beforehand; undefined when it has not the form of a key.
 * See docs/contract/authentication.md#secret-keys.
 */
export function sealSecret(secret: string): SealedSecret | undefined {
  if (!GIVEN_KEY.test(secret)) return undefined
  const type = secret.startsWith(PREFIXES.secret) ? 'secret' : 'publishable'
  return { type, hash: digest(secret).toString('hex'), hint: `${PREFIXES[type]}…${secret.slice(-4)}` }
}

/** A key that was just made: the only moment at which its secret is known. */
export type IssuedKey = { readonly key: KeyRow; readonly secret: string }

/**
 * The API keys, of which only hashes are kept.
 * See docs/contract/authentication.md#key-lifecycle.
 */
export class KeyRing {
  readonly #engine: Engine
  readonly #byHash = new Map<string, KeyRow>()
  readonly #used = new Set<KeyRow>()

  readonly #cacheSeconds: number
  /** Until when a key that was revoked since the start goes on working, in steady milliseconds, by its id. */
  readonly #cachedUntil = new Map<string, number>()

  /**
   * @param cacheSeconds - how long a revoked key goes on working, as where resolved keys are cached
   * See docs/contract/authentication.md#revocation.
   */
  constructor(engine: Engine, cacheSeconds: number) {
    this.#engine = engine
    this.#cacheSeconds = cacheSeconds
    this.takeUp()
    engine.listen({ replaced: () => this.takeUp(), deleted: () => this.takeUp() })
  }

  /** The merchant that a key opens; undefined while there is none: it was not there yet in the state that was restored. */
  ownerOf(key: Pick<KeyRow, 'merchant' | 'birth'>): MerchantState | undefined {
    return bornAs(this.#engine.merchants, key)
  }

  /** All keys ever issued, revoked ones too, newest first. */
  list(): KeyRow[] {
    return [...this.#byHash.values()].sort((left, right) => (left.id < right.id ? 1 : -1))
  }

  /** The key with this secret and whom it opens, unless it is unknown, revoked or nobody's; notes that it was used. */
  resolve(secret: string): { readonly key: KeyRow; readonly merchant: MerchantState } | undefined {
    const hash = digest(secret)
    const key = this.#byHash.get(hash.toString('hex'))
    const now = wallSeconds(this.#engine.wall)
    if (!key || !timingSafeEqual(key.hash, hash)) return undefined
    if (!this.opens(key)) return undefined
    const merchant = this.ownerOf(key)
    if (!merchant) return undefined
    this.noteUse(key, now)
    return { key, merchant }
  }

  /** Whether a key that was resolved still opens: it may have been revoked since. */
  opens({ id, revoked }: KeyRow): boolean {
    return revoked === null || this.#isCached(id, revoked)
  }

  /** Records that a key was used. @param now - wall clock, in Unix seconds */
  noteUse(key: KeyRow, now = wallSeconds(this.#engine.wall)): void {
    if (key.last_used === now) return
    key.last_used = now
    this.#used.add(key)
  }

  /** Whether a key has this secret, revoked or not. */
  knows(secret: string): boolean {
    return this.#byHash.has(digest(secret).toString('hex'))
  }

  /**
   * Issues a key.
   * @param given.secret - a secret chosen beforehand; a random one if none is given
   * @throws ApiError parameter_invalid, param secret, for one of another form or that is taken
   */
  async issue(given: NewKey): Promise<IssuedKey> {
    const owner = this.#engine.merchants.get(given.merchant)
    const issued = await this.#engine.administer(() => {
      // Whoever has the ordinal by now may be another than the one that was meant.
      if (owner) checkPresent(owner)
      return this.make(given)
    })
    // Its merchant may be deleted by now, and the key with it.
    const key = this.stored(issued.key.hash.toString('hex'))
    if (key) this.#admit(key)
    return issued
  }

  /** Issues a key within the command under way: see issue. It opens once that is committed and `takeUp` was called. */
  make({ merchant, type, name, secret = PREFIXES[type] + randomToken(SECRET_LENGTH) }: NewKey): IssuedKey {
    const sealed = sealSecret(secret)
    if (sealed?.type !== type) {
      throw parameterInvalid('secret', `A ${type} key is '${PREFIXES[type]}' and 24 to 200 letters or digits`)
    }
    return { key: this.add({ merchant, name, ...sealed }), secret }
  }

  /**
   * Writes a key of which only the hash is known: see make.
   * @throws ApiError parameter_invalid, param secret, for one that is taken
   */
  add({
    merchant,
    name,
    type,
    hash,
    hint,
  }: SealedSecret & { merchant: number; name: string | null }): KeyRow {
    // Asked here, where nothing else runs: two requests may bring the same key at once.
    if (this.stored(hash)) throw parameterInvalid('secret', 'This key exists already')
    const owner = this.#engine.merchants.get(merchant)
    assert(owner, `the merchant ${merchant} of a new key is there`)
    const row: KeyRow = {
      id: this.#engine.ids.next(0, 'key'),
      merchant,
      birth: owner.settings.birth,
      type,
      name,
      hash: Buffer.from(hash, 'hex'),
      hint,
      created: wallSeconds(this.#engine.wall),
      last_used: null,
      revoked: null,
    }
    this.#engine.store.directory.addKey(row)
    return row
  }

  /** The key of a hash, as the database has it: one that the command under way has added, too. */
  stored(hash: string): KeyRow | undefined {
    return this.#engine.store.directory.keyOfHash(Buffer.from(hash, 'hex'))
  }

  /**
   * Revokes a key, at once and for good; one that is revoked stays so.
   * @throws ApiError resource_missing
   */
  async revoke(id: string): Promise<KeyRow> {
    const key = this.list().find((known) => known.id === id)
    if (!key) throw resourceMissing('key', id)
    if (key.revoked !== null) return key
    const revoked = wallSeconds(this.#engine.wall)
    await this.#engine.administer(() => this.#engine.store.directory.revokeKey(id, revoked))
    key.revoked = revoked
    this.#cachedUntil.set(id, this.#engine.steady() + this.#cacheSeconds * 1_000)
    return key
  }

  /** Writes when keys were last used: now and then, since every request uses one. */
  async flush(): Promise<void> {
    const used = [...this.#used]
    this.#used.clear()
    if (used.length === 0) return
    await this.#engine.administer(() => {
      for (const { id, last_used } of used) this.#engine.store.directory.setLastUse(id, last_used)
    })
  }

  /** Takes up the keys that the database holds, so that they open; those that it held before stay as they are known. */
  takeUp(): void {
    const known = new Map(this.#byHash)
    this.#byHash.clear()
    for (const key of this.#engine.store.directory.keys()) {
      const before = known.get(key.hash.toString('hex'))
      // The same secret may be another merchant's by now: fixtures give it again at each reset.
      this.#admit(before?.id === key.id ? before : key)
    }
  }

  /**
   * Whether a revoked key still works. Once it does not, it never does again: not when the wall clock is set back, nor after a
   * restart, which keeps no cache.
   */
  #isCached(id: string, revoked: number): boolean {
    const until = this.#cachedUntil.get(id)
    if (until === undefined) return false
    const { wall, steady } = this.#engine
    const isCached = steady() < until && wallSeconds(wall) >= revoked
    if (!isCached) this.#cachedUntil.delete(id)
    return isCached
  }

  #admit(key: KeyRow): void {
    this.#byHash.set(key.hash.toString('hex'), key)
  }
}
