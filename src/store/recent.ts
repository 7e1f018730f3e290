/**
 * A map that keeps what was used last. It holds two generations: when the young one is full it becomes the old one, and
 * what was in the old one is dropped unless it was used meanwhile.
 */
export class Recent<Value> {
  readonly #size: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  /** @param size - how many values a generation holds: so many are kept for certain, and at most twice as many; 0 keeps nothing */
  constructor(size: number) {
    this.#size = size
  }

  get(key: string): Value | undefined {
    const value = this.#young.get(key)
    if (value !== undefined) return value
    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: Value): void {
    if (this.#size === 0) return
    if (this.#young.size >= this.#size && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  clear(): void {
    if (this.#young.size > 0) this.#young = new Map()
    if (this.#old.size > 0) this.#old = new Map()
  }
}
