/** A request whose body is received. */
type Receiving = { destroy(): void }

/**
 * Counts the bodies that a server receives. Beyond a limit, the requests that began first are ended: who signs requests sends them
 * without a pause.
 */
export class BodiesInProgress {
  readonly #maxBytes: number
  /** The bytes of each request, the one that began first in front. */
  readonly #sizes = new Map<Receiving, number>()
  #bytes = 0

  /** @param maxBytes - the maximum number of bytes in memory, larger than one body */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Counts bytes that arrived. */
  add(request: Receiving, bytes: number): void {
    this.#sizes.set(request, (this.#sizes.get(request) ?? 0) + bytes)
    this.#bytes += bytes
    for (const oldest of this.#sizes.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.remove(oldest)
      oldest.destroy()
    }
  }

  /** Ends the count of a request. */
  remove(request: Receiving): void {
    this.#bytes -= this.#sizes.get(request) ?? 0
    this.#sizes.delete(request)
  }
}
