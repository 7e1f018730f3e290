/** The limit of the total length of a generation's values. One value can be longer. */
type LengthLimit<Value> = { readonly maxLength: number; readonly lengthOf: (value: Value) => number }

/**
 * A cache of the values that were last used. It has two generations. When the young one is full it becomes the old one,
 * and values of the old one that were not used in the meantime are dropped.
 */
export class Recent<Value, Key = string> {
  readonly #size: number
  readonly #limit: LengthLimit<Value>
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  /** The total length of the young generation. */
  #length = 0

  /**
   * @param size - values of a generation: unless they are too long, at least so many are kept, and at most twice as many;
   *   0 keeps none
   */
  constructor(size: number, limit: LengthLimit<Value> = { maxLength: 0, lengthOf: () => 0 }) {
    this.#size = size
    this.#limit = limit
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key)
    if (value !== undefined) return value
    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    if (this.#size === 0) return
    const { maxLength, lengthOf } = this.#limit
    const replaced = this.#young.get(key)
    if (replaced !== undefined) this.#length -= lengthOf(replaced)
    const length = lengthOf(value)
    const isFull = this.#young.size >= this.#size && replaced === undefined
    if (isFull || (this.#length + length > maxLength && this.#young.size > 0)) {
      this.#young.delete(key)
      this.#old = this.#young
      this.#young = new Map()
      this.#length = 0
    }
    this.#length += length
    this.#young.set(key, value)
  }

  clear(): void {
    if (this.#young.size > 0) this.#young = new Map()
    if (this.#old.size > 0) this.#old = new Map()
    this.#length = 0
  }
}
