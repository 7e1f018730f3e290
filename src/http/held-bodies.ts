import { rateLimited } from '../core/errors.ts'

/** paytwin: the maximum size of all bodies that are in memory at a time, and of those of one owner, in bytes. */
const MOST_BYTES = 2 ** 28
const SHARE_BYTES = 2 ** 26
/** paytwin: an owner with no more than this has room also if others use up the maximum, until twice the maximum is in memory. */
const SMALL_SHARE_BYTES = 2 ** 20

/** An owner that may hold less than others. */
export class LimitedOwner {
  readonly share: number

  /** @param share - the maximum number of bytes */
  constructor(share: number) {
    this.share = share
  }
}

/**
 * Counts the bodies of requests that arrive or wait, such as for an advance, at least a part for each write, and one for each read
 * that waits for its turn. Without a limit, their sum would be that of all connections.
 * See docs/contract/requests.md#limits.
 */
export class HeldBodies {
  readonly #share: number
  readonly #owners = new Map<object, number>()
  #bytes = 0

  /** @param share - the maximum number of bytes of one owner */
  constructor(share = SHARE_BYTES) {
    this.#share = share
  }

  /** The number of bytes that are held. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts bytes that arrived for an owner. @throws ApiError rate_limit if there is no room for them */
  add(owner: object, bytes: number): void {
    const own = (this.#owners.get(owner) ?? 0) + bytes
    const most = own <= SMALL_SHARE_BYTES ? 2 * MOST_BYTES : MOST_BYTES
    const share = owner instanceof LimitedOwner ? owner.share : this.#share
    if (own > share || this.#bytes + bytes > most) throw rateLimited()
    this.#owners.set(owner, own)
    this.#bytes += bytes
  }

  remove(owner: object, bytes: number): void {
    const own = (this.#owners.get(owner) ?? 0) - bytes
    if (own > 0) this.#owners.set(owner, own)
    else this.#owners.delete(owner)
    this.#bytes -= bytes
  }
}
