/** A row that was added to a table. */
export type AddedRow = {
  readonly seq: number
  readonly merchant: number
  /** In Unix seconds. */
  readonly created: number
}

/** What a block has of a merchant: the first and last `created`, and the types of its events. */
export type Summary = { earliest: number; latest: number; readonly types: Set<number> }

/** The newest block of a table, summed up while its rows are added, because reading them again takes longer than writing one. */
export class GrowingBlock {
  readonly #summaries = new Map<number, Summary>()
  /** The seq of the next row, if all rows of the block were added. */
  #next = 0
  #isWhole = false

  /** Must be called before the first row of each block is added. */
  begin(seq: number): void {
    this.#summaries.clear()
    this.#isWhole = true
    this.#next = seq
  }

  /** Adds the next row. @param type - of its event; none for a row without types */
  add({ seq, merchant, created }: AddedRow, type?: number): void {
    this.skip(seq)
    let summary = this.#summaries.get(merchant)
    if (!summary) {
      summary = { earliest: created, latest: created, types: new Set() }
      this.#summaries.set(merchant, summary)
    }
    if (created < summary.earliest) summary.earliest = created
    if (created > summary.latest) summary.latest = created
    if (type !== undefined) summary.types.add(type)
  }

  /** Passes a row that is not summed up. */
  skip(seq: number): void {
    if (seq !== this.#next) this.forget()
    this.#next = seq + 1
  }

  /** Must be called when rows were rolled back, deleted or replaced. */
  forget(): void {
    this.#isWhole = false
  }

  /** Returns the summary of each merchant; undefined if rows of the block were added before, or are no longer there. */
  get whole(): ReadonlyMap<number, Summary> | undefined {
    return this.#isWhole ? this.#summaries : undefined
  }
}

/** Returns the summary of all merchants together. */
export function ofEverybody(summaries: Iterable<Summary>): Summary {
  const all = [...summaries]
  return {
    earliest: Math.min(...all.map(({ earliest }) => earliest)),
    latest: Math.max(...all.map(({ latest }) => latest)),
    types: new Set(all.flatMap(({ types }) => [...types])),
  }
}
