import type { JobRow } from './tables.ts'

/** The maximum growth of a window when jobs are added to it, as a multiple of its size. */
const MAX_GROWTH = 4

/**
 * The first jobs of a clock's queue, held in memory. An advance runs them one by one and reads the queue once for many.
 * The window applies every change of the queue, so it always equals the database.
 */
export class JobWindow {
  readonly clock: number
  readonly #rows: JobRow[]
  readonly #size: number
  /** Whether these rows are the whole queue. */
  #isWhole: boolean

  /**
   * @param rows - the first rows of the queue, in order; fewer than `size` are the whole queue
   * @param size - the number of requested rows
   */
  constructor(clock: number, rows: readonly JobRow[], size: number) {
    this.clock = clock
    this.#size = size
    this.#rows = [...rows]
    this.#isWhole = rows.length < size
  }

  /** Whether the window is empty although the queue may have more rows. */
  get isExhausted(): boolean {
    return this.#rows.length === 0 && !this.#isWhole
  }

  /** The first rows of the queue, in order. */
  get rows(): readonly JobRow[] {
    return this.#rows
  }

  add(row: JobRow): void {
    const rows = this.#rows
    const last = rows.at(-1)
    if (!this.#isWhole && (!last || compare(row, last) > 0)) return
    let place = rows.length
    while (place > 0 && compare(row, rows[place - 1] as JobRow) < 0) place -= 1
    rows.splice(place, 0, row)
    if (rows.length <= this.#size * MAX_GROWTH) return
    rows.length = this.#size
    this.#isWhole = false
  }

  /** Removes a job. `subscription` is empty for a job of no subscription. */
  remove({ due, kind, subscription, object }: Omit<JobRow, 'clock' | 'merchant' | 'position'>): void {
    const place = this.#rows.findIndex(
      (row) =>
        row.due === due && row.kind === kind && row.object === object && row.subscription === subscription,
    )
    if (place !== -1) this.#rows.splice(place, 1)
  }
}

/** Compares jobs in the order in which they run, which is that of the queue's primary key: texts byte by byte. */
function compare(left: JobRow, right: JobRow): number {
  return (
    left.due - right.due ||
    compareText(left.subscription, right.subscription) ||
    left.position - right.position ||
    compareText(left.object, right.object)
  )
}

const compareText = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1)
