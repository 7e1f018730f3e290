/** The owner of everything that is of no merchant. */
export const OPERATOR = {}

type Waiting<Owner, Item> = { readonly owners: readonly Owner[]; readonly item: Item }

/** A queue from which the owners of the items take turns. The items of one owner keep their order. */
export class Turns<Owner, Item> {
  /** The waiting items of each owner: first those of the owner whose turn is next. An item of several owners waits in each line. */
  readonly #lines = new Map<Owner, Waiting<Owner, Item>[]>()

  get isEmpty(): boolean {
    return this.#lines.size === 0
  }

  /** @param owners - at least one */
  add(owners: readonly Owner[], item: Item): void {
    const waiting = { owners, item }
    for (const owner of owners) {
      const line = this.#lines.get(owner)
      if (line) line.push(waiting)
      else this.#lines.set(owner, [waiting])
    }
  }

  /** Removes the next item that is the first of all its owners; undefined only if no item waits. */
  take(): Item | undefined {
    for (const [first] of this.#lines.values()) {
      if (!first?.owners.every((owner) => this.#lines.get(owner)?.[0] === first)) continue
      for (const owner of first.owners) this.#advance(owner)
      return first.item
    }
    return undefined
  }

  /** Removes the first item of an owner, whose next turn comes after those of all others. */
  #advance(owner: Owner): void {
    const line = this.#lines.get(owner)
    this.#lines.delete(owner)
    line?.shift()
    if (line && line.length > 0) this.#lines.set(owner, line)
  }
}
