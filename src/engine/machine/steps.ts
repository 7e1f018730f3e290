import { stopwatch } from './clock.ts'

/**
 * An owner that stands for several callers: the operator, or callers without a key. It never pauses, and its long steps extend no pause of
 * others.
 */
export class SharedOwner {}

/** A step that is being measured. */
export type Step = {
  readonly owners: readonly object[]
  readonly start: number
  /** Called after a long step of a single owner that is no SharedOwner. Only the operator begins steps of several merchants. */
  readonly onLong: OnLong
}

type OnLong = (owner: object, ms: number) => void

/** A short step: who has done it, and when it ended, in milliseconds of the clock for the time without short steps. */
type ShortStep = { readonly owner: object; readonly at: number }

const NO_STEP: ShortStep = { owner: {}, at: Number.NEGATIVE_INFINITY }

/**
 * Measures the steps of all kinds and owners: reads, commands without their commit, batches of advances, turns of event streams,
 * bodies of webhooks, and what their receivers send. One runs at a time.
 */
export class Steps {
  readonly #longMs: number
  #current: Step | undefined
  /** The time of all long steps of single owners so far, in milliseconds. */
  #longTime = 0
  /** The time of all other long steps so far, and of what is excluded, in milliseconds. */
  #otherTime = 0
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

  /** Records a time in which nobody could do a step, such as that of a commit, in milliseconds. */
  exclude(ms: number): void {
    this.#otherTime += ms
  }

  /** Returns the time of the clock by which pauses end, in milliseconds. It stops during long steps of single owners. */
  pauseClock(): number {
    return stopwatch() - this.#longTime
  }

  /** Returns the time since the latest short step of another owner in which somebody could have done one, in milliseconds. */
  quietTime(owner: object): number {
    const { at } = this.#latest.owner === owner ? this.#latestOfAnother : this.#latest
    return this.#quietClock() - at
  }

  #recordShort(owner: object): void {
    if (owner !== this.#latest.owner) this.#latestOfAnother = this.#latest
    this.#latest = { owner, at: this.#quietClock() }
  }

  #recordLong({ owners, onLong }: Step, ms: number): void {
    const [owner, ...others] = owners
    if (owner && others.length === 0 && !(owner instanceof SharedOwner)) {
      this.#longTime += ms
      onLong(owner, ms)
    } else this.#otherTime += ms
  }

  /** Returns the time of the clock for the time without short steps, in milliseconds. It stops while nobody can do one. */
  #quietClock(): number {
    return this.pauseClock() - this.#otherTime
  }
}
