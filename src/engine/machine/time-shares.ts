import { workBriefly } from './gate.ts'
import { Pauses } from './pauses.ts'
import type { Steps } from './steps.ts'

/** paytwin: the time of an owner's turn, in milliseconds. */
const SHARE_MS = 2

/**
 * A queue of distinct items. Owners take turns of a limited time, and at least one item is taken in each. With `Turns`, a large item of
 * another owner would come between any two small ones. The items of one owner keep their order.
 */
export class TimeShares<Owner, Item extends object> {
  /** The waiting items of each owner: first those of the owner whose turn is next. */
  readonly #lines = new Map<Owner, Set<Item>>()
  readonly #pauses: Pauses
  readonly #pauserOf: (item: Item) => object

  /**
   * @param pauserOf - returns the owner that pauses after a long turn
   * @param steps - measures the turns: see Pauses
   */
  constructor(pauserOf: (item: Item) => object, steps?: Steps) {
    this.#pauserOf = pauserOf
    this.#pauses = new Pauses(steps)
  }

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
   * @param resume - called when the pauses of all owners whose items are left may have ended
   * @returns whether there may be further items, whose owners do not pause
   */
  takeBriefly(take: (item: Item) => void, resume: () => void): boolean {
    const isLeft = workBriefly(() => {
      const next = this.#next()
      if (!next) return false
      const { owner, line, pauser } = next
      this.#pauses.measure([pauser], () => workBriefly(() => takeFirst(line, take), SHARE_MS))
      this.#lines.delete(owner)
      if (line.size > 0) this.#lines.set(owner, line)
      return true
    })
    if (!isLeft && this.#lines.size > 0) this.#pauses.onResume(resume)
    return isLeft
  }

  /** Returns the first line whose owner does not pause, and drops the empty lines before it. */
  #next(): { owner: Owner; line: Set<Item>; pauser: object } | undefined {
    for (const [owner, line] of this.#lines) {
      const [item] = line
      if (!item) {
        this.#lines.delete(owner)
        continue
      }
      const pauser = this.#pauserOf(item)
      if (!this.#pauses.isPausing(pauser)) return { owner, line, pauser }
    }
    return undefined
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
