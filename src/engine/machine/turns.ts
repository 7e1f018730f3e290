import { SharedOwner } from './steps.ts'

/** The owner of everything that is of no merchant. */
export const OPERATOR = new SharedOwner()

type IsPausing<Owner> = (owner: Owner) => boolean

type Waiting<Owner, Item> = {
  readonly owners: readonly Owner[]
  readonly item: Item
  /** The number of its owners whose first item it is. */
  firsts: number
}

/** The waiting items of an owner. */
class Line<Owner, Item> {
  /** From this number of removed items on, its turn comes before those of newcomers. */
  latest = 0
  readonly #items: Waiting<Owner, Item>[] = []
  /** The number of removed items at the beginning: removing each from a long array at once would move all others every time. */
  #removed = 0

  get isEmpty(): boolean {
    return this.first === undefined
  }

  get first(): Waiting<Owner, Item> | undefined {
    return this.#items[this.#removed]
  }

  /** The first item that can be removed. */
  get next(): Waiting<Owner, Item> | undefined {
    for (let at = this.#removed; at < this.#items.length; at += 1) {
      const waiting = this.#items[at]
      if (waiting && (waiting.owners.length === 1 || waiting.firsts === waiting.owners.length)) return waiting
    }
    return undefined
  }

  add(waiting: Waiting<Owner, Item>): void {
    this.#items.push(waiting)
  }

  remove(waiting: Waiting<Owner, Item>): void {
    if (waiting !== this.first) {
      this.#items.splice(this.#items.indexOf(waiting, this.#removed), 1)
      return
    }
    this.#removed += 1
    if (this.#removed * 2 < this.#items.length) return
    this.#items.splice(0, this.#removed)
    this.#removed = 0
  }
}

/**
 * A queue from which the owners of the items take turns. A newcomer, an owner that has had no turn in the current round, comes before
 * all others, so that an owner with few items does not wait for a round of owners with a backlog. Newcomers at most double the wait of
 * the others. The items of one owner keep their order. Only an item of several owners that waits for one of them lets those behind it
 * pass, so that it does not hold up the others.
 */
export class Turns<Owner, Item> {
  /** The lines of newcomers. An item of several owners waits in each line. */
  readonly #newcomers = new Map<Owner, Line<Owner, Item>>()
  /**
   * The other lines: first that of the owner whose turn is next. An empty line keeps its place until its turn: its owner is no newcomer
   * before.
   */
  readonly #others = new Map<Owner, Line<Owner, Item>>()
  /** The number of the other lines that have items. */
  #busy = 0
  #waiting = 0
  #removed = 0

  get isEmpty(): boolean {
    return this.#waiting === 0
  }

  /** Whether an item of an owner waits. */
  has(owner: Owner): boolean {
    return (this.#newcomers.get(owner) ?? this.#others.get(owner))?.isEmpty === false
  }

  /** @param owners - at least one */
  add(owners: readonly Owner[], item: Item): void {
    const waiting = { owners: owners.length > 1 ? [...new Set(owners)] : owners, item, firsts: 0 }
    this.#waiting += 1
    for (const owner of waiting.owners) {
      const line = this.#lineOf(owner)
      line.add(waiting)
      if (line.first !== waiting) continue
      waiting.firsts += 1
      if (!this.#newcomers.has(owner)) this.#busy += 1
    }
  }

  /**
   * Removes the next item: one that is the first of all its owners, or the next of a single one.
   * @param isPausing - whether an owner pauses; an item of several owners waits only if all of them do
   * @returns undefined if no item waits, or only those of owners that pause
   */
  take(isPausing: IsPausing<Owner> = () => false): Item | undefined {
    const next =
      this.#nextOther(isPausing, this.#removed) ?? this.#nextNewcomer(isPausing) ?? this.#nextOther(isPausing)
    if (!next) return undefined
    this.#waiting -= 1
    this.#removed += 1
    for (const owner of next.owners) this.#remove(owner, next)
    if (this.isEmpty) this.#others.clear()
    return next.item
  }

  #lineOf(owner: Owner): Line<Owner, Item> {
    const known = this.#newcomers.get(owner) ?? this.#others.get(owner)
    if (known) return known
    const line = new Line<Owner, Item>()
    this.#newcomers.set(owner, line)
    return line
  }

  #nextNewcomer(isPausing: IsPausing<Owner>): Waiting<Owner, Item> | undefined {
    for (const [owner, line] of this.#newcomers) {
      const next = isPausing(owner) ? undefined : line.next
      if (next) return next
    }
    return undefined
  }

  /**
   * Returns the next item of the others, and drops the empty lines before it.
   * @param removed - the number of removed items from which on newcomers come before them
   */
  #nextOther(
    isPausing: IsPausing<Owner>,
    removed = Number.POSITIVE_INFINITY,
  ): Waiting<Owner, Item> | undefined {
    for (const [owner, line] of this.#others) {
      if (line.isEmpty) {
        this.#others.delete(owner)
        continue
      }
      if (line.latest > removed) return undefined
      const next = isPausing(owner) ? undefined : line.next
      if (next) return next
    }
    return undefined
  }

  /** Removes an item of an owner, whose next turn comes after those of all others. */
  #remove(owner: Owner, waiting: Waiting<Owner, Item>): void {
    const line = this.#lineOf(owner)
    if (!this.#newcomers.delete(owner)) this.#busy -= 1
    this.#others.delete(owner)
    const wasFirst = line.first === waiting
    line.remove(waiting)
    if (wasFirst && line.first) line.first.firsts += 1
    line.latest = this.#removed + 2 * (this.#newcomers.size + this.#busy)
    this.#others.set(owner, line)
    if (!line.isEmpty) this.#busy += 1
  }
}
