/** The owner of everything that is of no merchant. */
export const OPERATOR = {}

type Waiting<Owner, Item> = {
  readonly owners: readonly Owner[]
  readonly item: Item
  /** The number of its owners whose first item it is. */
  firsts: number
}

/**
 * A queue from which the owners of the items take turns. The items of one owner keep their order. Only an item of several owners
 * that waits for one of them lets those behind it pass, so that it does not hold up the others.
 */
export class Turns<Owner, Item> {
  /** The waiting items of each owner: first those of the owner whose turn is next. An item of several owners waits in each line. */
  readonly #lines = new Map<Owner, Waiting<Owner, Item>[]>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  /** @param owners - at least one */
  add(owners: readonly Owner[], item: Item): void {
    const waiting = { owners: owners.length > 1 ? [...new Set(owners)] : owners, item, firsts: 0 }
    for (const owner of waiting.owners) {
      const line = this.#lines.get(owner)
      if (line) line.push(waiting)
      else {
        this.#lines.set(owner, [waiting])
        waiting.firsts += 1
      }
    }
  }

  /** Removes the next item: one that is the first of all its owners, or the next of a single one. @returns undefined if no item waits */
  take(): Item | undefined {
    for (const line of this.#lines.values()) {
      const next = line.find(({ owners, firsts }) => owners.length === 1 || firsts === owners.length)
      if (!next) continue
      for (const owner of next.owners) this.#remove(owner, next)
      return next.item
    }
    return undefined
  }

  /** Removes an item of an owner, whose next turn comes after those of all others. */
  #remove(owner: Owner, waiting: Waiting<Owner, Item>): void {
    const line = this.#lines.get(owner) ?? []
    this.#lines.delete(owner)
    const at = line.indexOf(waiting)
    line.splice(at, 1)
    if (line[0] === undefined) return
    if (at === 0) line[0].firsts += 1
    this.#lines.set(owner, line)
  }
}
