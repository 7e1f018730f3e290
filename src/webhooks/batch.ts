/** How long the first of a batch may wait for others, in milliseconds. */
const WAIT_MS = 10

/** Brings together what would else be done one by one. */
export class Batch {
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** Resolves when the batch is to be done: soon, and at once for one that may not wait, which takes all others along. */
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
