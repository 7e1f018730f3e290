import { stopwatch } from './clock.ts'

/** An owner for several callers that are trusted or unknown. It never pauses, and its long steps make nobody else wait. */
export class SharedOwner {}

/** A step that is being measured. */
export type Step = {
  readonly owners: readonly unknown[]
  readonly start: number
  /** Called for each owner if the step was long. */
  readonly onLong: OnLong
}

type OnLong = (owner: unknown, ms: number) => void

/** A short step: who has done it, and when it ended. */
type ShortStep = { readonly owner: unknown; readonly at: number }

const NEVER: ShortStep = { owner: undefined, at: Number.NEGATIVE_INFINITY }

/**
 * Measures the steps of all kinds and owners: reads, commands without their commit, batches of advances, and bodies of webhooks. One
 * runs at a time.
 */
export class Steps {
  readonly #longMs: number
  #current: Step | undefined
  /** The time of all long steps so far, in milliseconds. */
  #longTime = 0
  #latest = NEVER
  /** The latest short step that is not of the owner of `#latest`. */
  #latestOther = NEVER
  #isStopping = false

  /** @param longMs - the time of a step, in milliseconds, from which on it is long */
  constructor(longMs: number) {
    this.#longMs = longMs
  }

  /** Whether nobody pauses any more. */
  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Ends all pauses: the process waits for the rest of the steps. */
  stop(): void {
    this.#isStopping = true
  }

  /** Begins a step, which lasts until it ends or the next one begins. */
  begin(owners: readonly unknown[], onLong: OnLong): Step {
    if (this.#current) this.end(this.#current)
    this.#current = { owners, start: stopwatch(), onLong }
    return this.#current
  }

  /** Ends a step, unless another one has begun. */
  end(step: Step): void {
    if (step !== this.#current) return
    this.#current = undefined
    const now = stopwatch()
    const ms = now - step.start
    const isLong = ms >= this.#longMs
    const owners = isLong ? step.owners.filter((owner) => !(owner instanceof SharedOwner)) : step.owners
    if (isLong && owners.length > 0) this.#longTime += ms
    for (const owner of owners)
      if (isLong) step.onLong(owner, ms)
      else this.#recordShort(owner, now)
  }

  /** Returns the time in which nobody did a long step, in milliseconds, since some instant that is always the same. */
  freeTime(): number {
    return stopwatch() - this.#longTime
  }

  /** Returns the time since the latest short step of another owner, in milliseconds. */
  quietTime(owner: unknown): number {
    return stopwatch() - (this.#latest.owner === owner ? this.#latestOther : this.#latest).at
  }

  #recordShort(owner: unknown, at: number): void {
    if (owner !== this.#latest.owner) this.#latestOther = this.#latest
    this.#latest = { owner, at }
  }
}
