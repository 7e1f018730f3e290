import { stopwatch } from './clock.ts'

/** An owner for several callers, trusted or unknown ones. It never pauses, and its long steps make no pause of others longer. */
export class SharedOwner {}

/** A step that is being measured. */
export type Step = {
  readonly owners: readonly object[]
  readonly start: number
  /** Called if the step was long and has a single owner: those of several merchants are the operator's. */
  readonly onLong: OnLong
}

type OnLong = (owner: object, ms: number) => void

/** A short step: who has done it, and when it ended, in milliseconds without long steps. */
type ShortStep = { readonly owner: object; readonly at: number }

const NO_STEP: ShortStep = { owner: {}, at: Number.NEGATIVE_INFINITY }

/**
 * Measures the steps of all kinds and owners: reads, commands without their commit, batches of advances, turns of event streams,
 * bodies of webhooks, and what their receivers send. One runs at a time.
 */
export class Steps {
  readonly #longMs: number
  #current: Step | undefined
  /** The time of all long steps so far, in milliseconds: of single owners, and all others. */
  #longTime = 0
  #sharedLongTime = 0
  #latest = NO_STEP
  /** The latest short step whose owner is not that of `#latest`. */
  #latestOfAnother = NO_STEP
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

  /** Begins a step, which lasts until it ends or the next one begins, also one of another kind in the same callback. */
  begin(owners: readonly object[], onLong: OnLong): Step {
    if (this.#current) this.end(this.#current)
    this.#current = { owners, start: stopwatch(), onLong }
    return this.#current
  }

  /** Ends a step, unless another one has begun. */
  end(step: Step): void {
    if (step !== this.#current) return
    this.#current = undefined
    const ms = stopwatch() - step.start
    if (ms < this.#longMs) for (const owner of step.owners) this.#recordShort(owner)
    else this.#recordLong(step, ms)
  }

  /** Returns the time of a clock that stands during long steps of single owners, in milliseconds. */
  freeTime(): number {
    return stopwatch() - this.#longTime
  }

  /** Returns the time since the latest short step of another owner, without all long steps, in milliseconds. */
  quietTime(owner: object): number {
    const { at } = this.#latest.owner === owner ? this.#latestOfAnother : this.#latest
    return this.#timeForShort() - at
  }

  #recordShort(owner: object): void {
    if (owner !== this.#latest.owner) this.#latestOfAnother = this.#latest
    this.#latest = { owner, at: this.#timeForShort() }
  }

  #recordLong({ owners, onLong }: Step, ms: number): void {
    const [owner, ...others] = owners
    if (owner && others.length === 0 && !(owner instanceof SharedOwner)) {
      this.#longTime += ms
      onLong(owner, ms)
    } else this.#sharedLongTime += ms
  }

  /** The time of a clock that stands during all long steps, in milliseconds. */
  #timeForShort(): number {
    return this.freeTime() - this.#sharedLongTime
  }
}
