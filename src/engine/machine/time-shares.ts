import { workBriefly } from './gate.ts'

/** paytwin: the time of an owner's turn, in milliseconds. */
const SHARE_MS = 2

/**
 * A queue of distinct items. Owners take turns of a limited time, and at least one item is taken in each. With `Turns`, a large item of
 * another owner would come between any two small ones. The items of one owner keep their order.
 */
export class TimeShares<Owner, Item extends object> {
  /** The waiting items of each owner: first those of the owner whose turn is next. */
  readonly #lines = new Map<Owner, Set<Item>>()

  /** Adds an item behind those of its owner, unless it waits already. */
  add(owner: Owner, item: Item): void {
    const line = this.#lines.get(owner)
    if (line) line.add(item)
    else this.#lines.set(owner, new Set([item]))
  }

  /** Removes an item, if it waits. */
  delete(owner: Owner, item: Item): void {
    this.#lines.get(owner)?.delete(item)
  }

  /**
   * Takes items for a limited time.
   * @param take - must not throw; may add and delete items
   * @returns whether there may be further ones
   */
  takeBriefly(take: (item: Item) => void): boolean {
    return workBriefly(() => {
      const [next] = this.#lines
      if (!next) return false
      const [owner, line] = next
      workBriefly(() => takeFirst(line, take), SHARE_MS)
      this.#lines.delete(owner)
      if (line.size > 0) this.#lines.set(owner, line)
      return this.#lines.size > 0
    })
  }
}

/** Takes the first item of a line. @returns whether there may be a further one */
function takeFirst<Item extends object>(line: Set<Item>, take: (item: Item) => void): boolean {
  const [item] = line
  if (!item) return false
  line.delete(item)
  take(item)
  return line.size > 0
}
