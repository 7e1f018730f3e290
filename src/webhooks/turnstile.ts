/**
 * Limits concurrency: shares a number of places among owners. By default one owner may take at most three quarters, so that it
 * never excludes the others. A free place goes to the waiting owner with the fewest places.
 */
export class FairSemaphore<Owner> {
  #free: number
  readonly #maxPerOwner: number
  readonly #taken = new Map<Owner, number>()
  readonly #waiting = new Map<Owner, (() => void)[]>()

  /** @param maxPerOwner - the maximum number of places of one owner */
  constructor(places: number, maxPerOwner = Math.ceil((places * 3) / 4)) {
    this.#free = places
    this.#maxPerOwner = maxPerOwner
  }

  /** Takes a place. @returns undefined when one is free, or else a promise that resolves when the owner has got one */
  enter(owner: Owner): Promise<void> | undefined {
    if (this.#free > 0 && this.#hasRoom(owner)) {
      this.#move(owner, 1)
      return undefined
    }
    return new Promise((resolve) => {
      const queue = this.#waiting.get(owner) ?? []
      queue.push(resolve)
      this.#waiting.set(owner, queue)
    })
  }

  /** Releases a place. */
  leave(owner: Owner): void {
    this.#move(owner, -1)
    const next = this.#nextOwner()
    if (next === undefined) return
    const queue = this.#waiting.get(next) ?? []
    const enter = queue.shift()
    // Owners with equal shares take turns: the one just served goes to the end.
    this.#waiting.delete(next)
    if (queue.length > 0) this.#waiting.set(next, queue)
    this.#move(next, 1)
    enter?.()
  }

  #nextOwner(): Owner | undefined {
    const eligible = [...this.#waiting.keys()].filter((owner) => this.#hasRoom(owner))
    const fewest = Math.min(...eligible.map((owner) => this.#takenBy(owner)))
    return eligible.find((owner) => this.#takenBy(owner) === fewest)
  }

  #hasRoom(owner: Owner): boolean {
    return this.#takenBy(owner) < this.#maxPerOwner
  }

  #takenBy(owner: Owner): number {
    return this.#taken.get(owner) ?? 0
  }

  #move(owner: Owner, places: 1 | -1): void {
    this.#free -= places
    const taken = this.#takenBy(owner) + places
    if (taken === 0) this.#taken.delete(owner)
    else this.#taken.set(owner, taken)
  }
}
