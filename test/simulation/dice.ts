/** Pseudo-random numbers from a seed, the same on every machine. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns the next number, 0 to 2³² − 1 (splitmix32). */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }

  /** Returns an integer from 0 to the bound, exclusive. */
  below(bound: number): number {
    return this.next() % bound
  }

  /** Returns an integer from the first to the last, inclusive. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1)
  }

  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  /** Chooses from a non-empty list. */
  of<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new Error('nothing to choose from')
    return value
  }

  /** Chooses from a list; undefined if it is empty. */
  any<Value>(values: readonly Value[]): Value | undefined {
    return values.length === 0 ? undefined : this.of(values)
  }

  /** Varies weights at random, so that some names become frequent together, and others rare. */
  varied<Name extends string>(weights: Readonly<Record<Name, number>>): Record<Name, number> {
    const entries = Object.entries<number>(weights) as [Name, number][]
    return Object.fromEntries(
      entries.map(([name, weight]) => [name, weight * this.of([1, 3, 3, 9, 24])]),
    ) as Record<Name, number>
  }

  /** Chooses a name by weight. */
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
