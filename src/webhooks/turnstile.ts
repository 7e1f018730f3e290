/** How much one owner may take of what is shared. */
export type Share = {
  /** The maximum of one owner, unless a single entry is larger. By default three quarters, so that it never excludes the others. */
  readonly most?: number
  /** What each owner may take at any time, and one entry of any size, even if nothing is free. By default nothing. */
  readonly ensured?: number
}

type Waiting = { readonly size: number; readonly enter: () => void }

/**
 * Limits concurrency: shares a number of places among owners, or any other quantity, such as bytes. The entries of one owner wait in
 * their order. What becomes free goes to the waiting owner that has the least.
 */
export class FairSemaphore<Owner> {
  #free: number
  readonly #most: number
  readonly #ensured: number
  readonly #taken = new Map<Owner, number>()
  readonly #waiting = new Map<Owner, Waiting[]>()

  constructor(places: number, { most = Math.ceil((places * 3) / 4), ensured = 0 }: Share = {}) {
    this.#free = places
    this.#most = most
    this.#ensured = ensured
  }

  /**
   * Takes a place, or as many as the size says. Waits until the owner can have them.
   * @param signal - ends the wait
   * @returns true when the places are taken, without a promise if they are free at once; false if the signal was aborted first
   */
  enter(owner: Owner, size = 1, signal?: AbortSignal): boolean | Promise<boolean> {
    if (signal?.aborted) return false
    if (!this.#waiting.has(owner) && this.#hasRoom(owner, size)) {
      this.#move(owner, size)
      return true
    }
    return new Promise((resolve) => {
      const abort = () => {
        this.#remove(owner, waiting)
        // Nothing became free, so this can only let in what waited behind it.
        this.#admitOf(owner)
        resolve(false)
      }
      const enter = () => {
        signal?.removeEventListener('abort', abort)
        resolve(true)
      }
      const waiting = { size, enter }
      const queue = this.#waiting.get(owner)
      if (queue) queue.push(waiting)
      else this.#waiting.set(owner, [waiting])
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** Releases what was taken. */
  leave(owner: Owner, size = 1): void {
    this.#move(owner, -size)
    this.#admitAll()
  }

  #admitAll(): void {
    for (let next = this.#nextOwner(); next !== undefined; next = this.#nextOwner()) this.#admit(next)
  }

  #admitOf(owner: Owner): void {
    while (this.#mayEnter(owner)) this.#admit(owner)
  }

  #admit(owner: Owner): void {
    const queue = this.#waiting.get(owner) ?? []
    const first = queue.shift()
    // Owners with equal shares take turns: the one just served goes to the end.
    this.#waiting.delete(owner)
    if (queue.length > 0) this.#waiting.set(owner, queue)
    if (!first) return
    this.#move(owner, first.size)
    first.enter()
  }

  #remove(owner: Owner, waiting: Waiting): void {
    const queue = this.#waiting.get(owner) ?? []
    queue.splice(queue.indexOf(waiting), 1)
    if (queue.length === 0) this.#waiting.delete(owner)
  }

  #nextOwner(): Owner | undefined {
    const eligible = [...this.#waiting.keys()].filter((owner) => this.#mayEnter(owner))
    const fewest = Math.min(...eligible.map((owner) => this.#takenBy(owner)))
    return eligible.find((owner) => this.#takenBy(owner) === fewest)
  }

  /** Whether the first waiting entry of an owner has room. */
  #mayEnter(owner: Owner): boolean {
    const first = this.#waiting.get(owner)?.[0]
    return first !== undefined && this.#hasRoom(owner, first.size)
  }

  #hasRoom(owner: Owner, size: number): boolean {
    const taken = this.#takenBy(owner)
    if (this.#ensured > 0 && (taken === 0 || taken + size <= this.#ensured)) return true
    return size <= this.#free && taken + size <= this.#most
  }

  #takenBy(owner: Owner): number {
    return this.#taken.get(owner) ?? 0
  }

  #move(owner: Owner, size: number): void {
    this.#free -= size
    const taken = this.#takenBy(owner) + size
    if (taken === 0) this.#taken.delete(owner)
    else this.#taken.set(owner, taken)
  }
}
