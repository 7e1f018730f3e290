/**
 * A cache of the values that were last used. It has two generations. When the young one is full it becomes the old one,
 * and values of the old one that were not used in the meantime are dropped.
 */
export class Recent<Value> {
  readonly #size: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  /** @param size - values of a generation: at least so many are kept, and at most twice as many; 0 keeps none */
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
