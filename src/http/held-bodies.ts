import { rateLimited } from '../core/errors.ts'

/** paytwin: the maximum size of all bodies that are in memory at a time, in bytes. */
export const HELD_BYTES = 2 ** 28
/** The minimum for a small heap: a sixteenth of it holds the largest request, of 1 MiB with 2,000 values. */
export const LEAST_HELD_BYTES = 2 ** 25
/** The part of the maximum that one owner may hold. */
const SHARE = 1 / 4
/** paytwin: an owner with no more than this has room also if others use up the maximum, until twice the maximum is in memory. */
const SMALL_SHARE_BYTES = 2 ** 20

/** An owner that may hold less than others. */
export class LimitedOwner {
  readonly part: number

  /** @param part - the part of what others may hold */
  constructor(part: number) {
    this.part = part
  }
}

/**
 * Counts the bodies of requests that arrive or wait, such as for an advance, at least a part for each write, and one for each read
 * that waits for its turn. Without a limit, their sum would be that of all connections.
 * See docs/contract/requests.md#limits.
 */
export class HeldBodies {
  readonly #most: number
  readonly #share: number
  readonly #owners = new Map<object, number>()
  #bytes = 0

  /**
   * @param most - the maximum number of bytes
   * @param share - that of one owner
   */
  constructor(most = HELD_BYTES, share = most * SHARE) {
    this.#most = most
    this.#share = share
  }

  /** The number of bytes that are held. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts bytes that arrived for an owner. @throws ApiError rate_limit if there is no room for them */
  add(owner: object, bytes: number): void {
    const own = (this.#owners.get(owner) ?? 0) + bytes
    const most = own <= SMALL_SHARE_BYTES ? 2 * this.#most : this.#most
    const share = owner instanceof LimitedOwner ? this.#share * owner.part : this.#share
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
