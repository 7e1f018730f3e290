/** Lets so many in at the same time; the others wait for their turn, in their order. */
export class Turnstile {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** @returns undefined when there is a place at once, else what resolves when there is */
  enter(): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Gives the place to whoever has waited longest. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
