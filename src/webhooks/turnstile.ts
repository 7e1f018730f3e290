/**
 * Shares a number of places among owners. One owner may take up to three quarters of them unless told otherwise, so that the
 * others never find them all taken by it. A place that becomes free goes to the waiting owner that has the fewest.
 */
export class Turnstile<Owner> {
  #free: number
  readonly #mostOfOne: number
  readonly #taken = new Map<Owner, number>()
  readonly #waiting = new Map<Owner, (() => void)[]>()

  /** @param mostOfOne - how many places one owner may take */
  constructor(places: number, mostOfOne = Math.ceil((places * 3) / 4)) {
    this.#free = places
    this.#mostOfOne = mostOfOne
  }

  /** Takes a place. @returns undefined when there is one at once, else what resolves when the owner has got one */
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

  /** Gives a place back. */
  leave(owner: Owner): void {
    this.#move(owner, -1)
    const next = this.#nextOwner()
    if (next === undefined) return
    const queue = this.#waiting.get(next) ?? []
    const enter = queue.shift()
    // Owners of equal share take turns: whoever was served comes last.
    this.#waiting.delete(next)
    if (queue.length > 0) this.#waiting.set(next, queue)
    this.#move(next, 1)
    enter?.()
  }

  #nextOwner(): Owner | undefined {
    const able = [...this.#waiting.keys()].filter((owner) => this.#hasRoom(owner))
    const fewest = Math.min(...able.map((owner) => this.#takenBy(owner)))
    return able.find((owner) => this.#takenBy(owner) === fewest)
  }

  #hasRoom(owner: Owner): boolean {
    return this.#takenBy(owner) < this.#mostOfOne
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
