/** Numbers that follow from a seed, the same on every machine. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** The next number, 0 to 2³² − 1 (splitmix32). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }

  /** A whole number from 0 up to, and without, the bound. */
  below(bound: number): number {
    return this.next() % bound
  }

  /** A whole number from the first to the last, both included. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1)
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  /** One of a list that is not empty. */
  of<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new Error('nothing to choose from')
    return value
  }

  /** One of a list, or nothing where there is none. */
  any<Value>(values: readonly Value[]): Value | undefined {
    return values.length === 0 ? undefined : this.of(values)
  }

  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][]
    let left = this.below(entries.reduce((sum, [, weight]) => sum + weight, 0))
    for (const [name, weight] of entries) {
      if (left < weight) return name
      left -= weight
    }
    throw new Error('weights are not negative')
  }
}
