import { timingSafeEqual } from 'node:crypto'
import { assert, parameterInvalid, resourceMissing } from '../../core/errors.ts'
import type { KeyRow } from '../../store/tables.ts'
import { wallSeconds } from '../machine/clock.ts'
import type { Sender } from '../machine/command-queue.ts'
import { digest } from '../machine/digest.ts'
import type { Engine } from '../machine/engine.ts'
import { randomToken } from '../machine/ids.ts'
import { checkCurrent, type MerchantState, merchantOfGeneration } from '../machine/merchant-state.ts'
import { placeOf } from './key-order.ts'
import { type HashedSecret, hashSecret, isShort, keyMistake } from './key-secret.ts'

export type { KeyRow } from '../../store/tables.ts'

const SECRET_LENGTH = 32
const PREFIXES = { secret: 'sk_test_', publishable: 'pk_test_' } as const

/** A key to issue, with a given or a random secret. */
export type NewKey = {
  /** The merchant's ordinal. */
  readonly merchant: number
  readonly type: KeyRow['type']
  readonly name: string | null
  readonly secret?: string | undefined
  /** The name of the secret in errors. */
  readonly param?: string
}

/** A page of keys: of one merchant, or with null of all. */
export type KeyPage = {
  readonly owner: MerchantState | null
  readonly limit: number
  readonly cursor?: { readonly isBackward: boolean; readonly id: string; readonly param: string } | undefined
}

/** A new key with its secret, which cannot be read again. */
export type IssuedKey = { readonly key: KeyRow; readonly secret: string }

/**
 * The API keys. Only hashes are stored.
 * See docs/contract/authentication.md#key-lifecycle.
 */
export class KeyRing {
  readonly #engine: Engine
  readonly #byHash = new Map<string, KeyRow>()
  readonly #byId = new Map<string, KeyRow>()
  /** Oldest first: all keys, and those of each merchant by its generation. */
  #inOrder: KeyRow[] = []
  readonly #ofMerchant = new Map<number, KeyRow[]>()
  readonly #used = new Set<KeyRow>()

  readonly #cacheSeconds: number
  #onShort: ((key: KeyRow) => void) | undefined
  /** When a key that was revoked since the start stops working, in steady milliseconds, by its id. */
  readonly #cachedUntil = new Map<string, number>()

  /**
   * @param cacheSeconds - the time for which a revoked key still works, as in a service that caches resolved keys
   * See docs/contract/authentication.md#revocation.
   */
  constructor(engine: Engine, cacheSeconds: number) {
    this.#engine = engine
    this.#cacheSeconds = cacheSeconds
    this.reload()
    // A restore leaves the keys as they are.
    engine.listen({ deleted: (merchant) => this.#forgetActive(merchant) })
  }

  /** Returns the merchant of a key; undefined when the current state does not contain that merchant. */
  ownerOf(key: Pick<KeyRow, 'merchant' | 'generation'>): MerchantState | undefined {
    return merchantOfGeneration(this.#engine.merchants, key)
  }

  /** Lists all keys, revoked ones too, newest first. */
  list(): KeyRow[] {
    return this.#inOrder.toReversed()
  }

  /**
   * Lists a page of keys, revoked ones too: newest first, with a backward cursor oldest first.
   * @throws ApiError resource_missing for an unknown cursor
   */
  page({ owner, limit, cursor }: KeyPage): KeyRow[] {
    const keys = owner ? (this.#ofMerchant.get(owner.settings.generation) ?? []) : this.#inOrder
    if (!cursor) return keys.slice(-limit).reverse()
    if (!this.#byId.has(cursor.id)) throw resourceMissing('key', cursor.id, cursor.param)
    const place = placeOf(keys, cursor.id)
    if (!cursor.isBackward) return keys.slice(Math.max(0, place - limit), place).reverse()
    const start = keys[place]?.id === cursor.id ? place + 1 : place
    return keys.slice(start, start + limit)
  }

  /** Resolves a secret to its key and merchant, and records the use; undefined for an unknown or revoked key. */
  resolve(secret: string): { readonly key: KeyRow; readonly merchant: MerchantState } | undefined {
    const hash = digest(secret)
    const key = this.#byHash.get(hash.toString('hex'))
    const now = wallSeconds(this.#engine.wall)
    if (!key || !timingSafeEqual(key.hash, hash)) return undefined
    if (!this.opens(key)) return undefined
    const merchant = this.ownerOf(key)
    if (!merchant) return undefined
    this.recordUse(key, now)
    return { key, merchant }
  }

  /** Reports whether a resolved key still works; it may have been revoked in the meantime. */
  opens({ id, revoked }: KeyRow): boolean {
    return revoked === null || this.#isCached(id, revoked)
  }

  /** Records that a key was used. @param now - wall clock, in Unix seconds */
  recordUse(key: KeyRow, now = wallSeconds(this.#engine.wall)): void {
    if (key.last_used === now) return
    key.last_used = now
    this.#used.add(key)
  }

  /** Reports whether a key has this secret, revoked or not. */
  hasSecret(secret: string): boolean {
    return this.#byHash.has(digest(secret).toString('hex'))
  }

  /**
   * Issues a key.
   * @param given.secret - a secret chosen beforehand; random if not given
   * @throws ApiError parameter_invalid, param secret, for an invalid form or an existing key
   */
  async issue(given: NewKey, sender: Sender = {}): Promise<IssuedKey> {
    const owner = this.#engine.merchants.get(given.merchant)
    const issued = await this.#engine.operatorCommand(() => {
      // Another merchant may have the ordinal by now.
      if (owner) checkCurrent(owner)
      return this.make(given)
    }, sender)
    this.takeUp(issued.key.hash.toString('hex'))
    return issued
  }

  /** Makes a committed key work. @param hash - the hash of its secret */
  takeUp(hash: string): void {
    // The merchant may have been deleted in the meantime, with the key.
    const key = this.stored(hash)
    if (key) this.#index(key)
  }

  /** Issues a key within the open command: see issue. It works after the commit, once `takeUp` was called. */
  make({
    merchant,
    type,
    name,
    secret = PREFIXES[type] + randomToken(SECRET_LENGTH),
    param = 'secret',
  }: NewKey): IssuedKey {
    const sealed = hashSecret(secret)
    if (sealed?.type !== type) throw parameterInvalid(param, keyMistake(secret, type))
    return { key: this.add({ merchant, name, ...sealed }, param), secret }
  }

  /**
   * Writes a key of which only the hash is known: see make.
   * @param param - the name of the secret in errors
   * @throws ApiError parameter_invalid for an existing key
   */
  add(
    { merchant, name, type, hash, hint }: HashedSecret & { merchant: number; name: string | null },
    param = 'secret',
  ): KeyRow {
    // Checked within the command: two requests may bring the same key at once.
    if (this.stored(hash)) throw parameterInvalid(param, 'This key already exists')
    const owner = this.#engine.merchants.get(merchant)
    assert(owner, `the merchant ${merchant} of a new key exists`)
    const row: KeyRow = {
      id: this.#engine.ids.next(0, 'key'),
      merchant,
      generation: owner.settings.generation,
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

  /** Finds the key of a hash in the database, also one that the open command has added. */
  stored(hash: string): KeyRow | undefined {
    return this.#engine.store.directory.keyOfHash(Buffer.from(hash, 'hex'))
  }

  /**
   * Revokes a key at once and permanently. A revoked key is returned unchanged.
   * @throws ApiError resource_missing, also if a reset or the deletion of its merchant came before
   */
  async revoke(id: string, sender: Sender = {}): Promise<KeyRow> {
    const known = this.#byId.get(id)
    if (!known) throw resourceMissing('key', id)
    if (known.revoked !== null) return known
    const { directory } = this.#engine.store
    const stored = await this.#engine.operatorCommand(() => {
      // Read within the command: the key may have been deleted or revoked while the command waited.
      const found = directory.key(id)
      if (!found) throw resourceMissing('key', id)
      return found.revoked === null ? directory.revokeKey(found, wallSeconds(this.#engine.wall)) : found
    }, sender)
    const key = this.#byId.get(id) ?? stored
    // Of several requests that revoke it at once, the first one begins the time for which it still works.
    if (key.revoked === null) {
      key.revoked = stored.revoked
      this.#cachedUntil.set(id, this.#engine.steady() + this.#cacheSeconds * 1_000)
    }
    return key
  }

  /**
   * Writes when keys were last used. Called periodically, because every request uses a key. If that fails, the next call repeats it.
   * @throws the error of the write
   */
  async flush(): Promise<void> {
    const used = [...this.#used]
    this.#used.clear()
    if (used.length === 0) return
    try {
      await this.#engine.operatorCommand(() => {
        for (const { id, last_used } of used) this.#engine.store.directory.setLastUse(id, last_used)
      })
    } catch (error) {
      for (const key of used) this.#used.add(key)
      throw error
    }
  }

  /** Calls a function for each active key that is short enough to be guessed, now and whenever one is added. */
  watchShort(onShort: (key: KeyRow) => void): void {
    this.#onShort = onShort
    for (const key of this.#inOrder) this.#reportShort(key)
  }

  /** Reloads the keys of the database. Keys that were loaded before keep their state in memory: all of them, if the read fails. */
  reload(): void {
    const stored = this.#engine.store.directory.keys()
    const loaded = new Map(this.#byHash)
    this.#byHash.clear()
    this.#byId.clear()
    this.#inOrder = []
    this.#ofMerchant.clear()
    for (const key of stored) {
      const before = loaded.get(key.hash.toString('hex'))
      // The same secret may belong to another merchant by now: fixtures give it again at each reset.
      this.#index(before?.id === key.id ? before : key)
    }
  }

  /**
   * Reports whether a revoked key still works. Once it has stopped, it never works again, neither when the wall clock
   * is set back nor after a restart, which keeps no cache.
   */
  #isCached(id: string, revoked: number): boolean {
    const until = this.#cachedUntil.get(id)
    if (until === undefined) return false
    const { wall, steady } = this.#engine
    const isCached = steady() < until && wallSeconds(wall) >= revoked
    if (!isCached) this.#cachedUntil.delete(id)
    return isCached
  }

  /** Forgets the keys that were deleted with their merchant: all except the revoked ones. */
  #forgetActive({ settings: { generation } }: MerchantState): void {
    const own = this.#ofMerchant.get(generation) ?? []
    const deleted = new Set(own.filter(({ revoked }) => revoked === null))
    for (const { id, hash } of deleted) {
      this.#byId.delete(id)
      this.#byHash.delete(hash.toString('hex'))
    }
    this.#inOrder = this.#inOrder.filter((key) => !deleted.has(key))
    const left = own.filter((key) => !deleted.has(key))
    if (left.length > 0) this.#ofMerchant.set(generation, left)
    else this.#ofMerchant.delete(generation)
  }

  #reportShort(key: KeyRow): void {
    if (key.revoked === null && isShort(key)) this.#onShort?.(key)
  }

  #index(key: KeyRow): void {
    // A key that was just issued may have been loaded meanwhile.
    if (this.#byId.has(key.id)) return
    this.#reportShort(key)
    this.#byHash.set(key.hash.toString('hex'), key)
    this.#byId.set(key.id, key)
    // Ids sort by creation, so a new key comes last.
    this.#inOrder.splice(placeOf(this.#inOrder, key.id), 0, key)
    const own = this.#ofMerchant.get(key.generation) ?? []
    own.splice(placeOf(own, key.id), 0, key)
    this.#ofMerchant.set(key.generation, own)
  }
}
