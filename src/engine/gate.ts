/** The next turn of the event loop, behind everything that goes on in this one. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Lets works run alone, one after another, and keeps what arrives meanwhile until none is left. */
export class Gate<Arrival> {
  readonly #letIn: (arrival: Arrival) => void
  readonly #held: Arrival[] = []
  #soloists = 0
  #last: Promise<unknown> = Promise.resolve()

  /** @param letIn - takes what was held, in the order in which it arrived */
  constructor(letIn: (arrival: Arrival) => void) {
    this.#letIn = letIn
  }

  /** Whether a work runs alone, or waits for its turn. */
  get isClosed(): boolean {
    return this.#soloists > 0
  }

  hold(arrival: Arrival): void {
    this.#held.push(arrival)
  }

  /** Closes until a work has ended, well or not; it begins when the one before it has. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    this.#soloists += 1
    const solo = this.#last.then(work).finally(() => this.#leave())
    this.#last = solo.catch(() => undefined)
    return solo
  }

  #leave(): void {
    this.#soloists -= 1
    if (this.#soloists > 0) return
    for (const arrival of this.#held.splice(0)) this.#letIn(arrival)
  }
}
