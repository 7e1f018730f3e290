/** The time that the first member of a batch waits for others, in milliseconds. */
const WAIT_MS = 10

/** Groups work, so that several members are processed together. */
export class Batch {
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** Resolves when the batch is released: after a short wait, or at once when a member may not wait. */
  join(mayWait: boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (mayWait) this.#timer ??= setTimeout(() => this.#release(), WAIT_MS)
      else this.#release()
    })
  }

  #release(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
