import { assert } from '../core/errors.ts'

/**
 * The position of an object in the store: its row, and the end of the chain of its journal entries. Each entry names
 * the one before it, so the chain is read from its end.
 */
export class Place {
  /** The row's seq; 0 until the row is inserted. */
  seq: number
  /** The seq of the newest journal entry; null when there is none. */
  newestEntry: number | null
  /** The number of journal entries. */
  entryCount: number

  constructor(seq = 0, newestEntry: number | null = null, entryCount = 0) {
    this.seq = seq
    this.newestEntry = newestEntry
    this.entryCount = entryCount
  }

  /**
   * Appends an entry to the chain.
   * @returns the seq of the entry before it
   */
  link(entry: number): number | null {
    const previous = this.newestEntry
    assert(previous === null || previous < entry, `the entry ${entry} follows the entry ${previous}`)
    this.newestEntry = entry
    this.entryCount += 1
    return previous
  }
}
