import type { LimitedTurns } from './limited-turns.ts'

/** paytwin: the maximum number of long reads of an owner that are in progress, so that a short one need not wait for one that is long. */
const MAX_IN_PROGRESS = 4

/** The reads of an owner: how many are in progress, and what lets the others begin. */
type Line = { inProgress: number; readonly waiting: (() => void)[] }

/** Runs long reads in steps, a few of each owner at a time. The others wait before their first step, when they have read nothing yet. */
export class LongReads<Owner extends object> {
  readonly #turns: LimitedTurns<Owner>
  readonly #lines = new Map<Owner, Line>()

  constructor(turns: LimitedTurns<Owner>) {
    this.#turns = turns
  }

  /**
   * Runs the steps of a read that has begun in a turn of its owner: see `LimitedTurns.inSteps`.
   * @param check - called when others have run; throws if the read must not go on
   * @returns the result of the last step
   */
  async run<T>(owner: Owner, steps: Generator<void, T>, check: () => void): Promise<T> {
    const line = this.#lines.get(owner) ?? { inProgress: 0, waiting: [] }
    this.#lines.set(owner, line)
    const mustWait = line.inProgress === MAX_IN_PROGRESS
    // A read that ends passes its place on, so that no other takes it.
    if (mustWait) await new Promise<void>((resolve) => line.waiting.push(resolve))
    else line.inProgress += 1
    try {
      if (mustWait) {
        await this.#turns.next(owner)
        check()
      }
      return await this.#turns.inSteps(owner, steps, check)
    } finally {
      this.#leave(owner, line)
    }
  }

  #leave(owner: Owner, line: Line): void {
    const begin = line.waiting.shift()
    if (begin) begin()
    else line.inProgress -= 1
    if (line.inProgress === 0) this.#lines.delete(owner)
  }
}
