import { mustAcceptFirst, runAfterAccepting, stepBegins } from './arrivals.ts'
import { nextTurn } from './gate.ts'
import { Pauses } from './pauses.ts'
import type { Steps } from './steps.ts'
import { Turns } from './turns.ts'
import { startLimit, TURN_LIMIT, type WorkLimit } from './work-limits.ts'

/** Resolves when all promises that are settled now have continued. */
export const afterMicrotasks = (): Promise<void> =>
  // Outside of a microtask, a tick would come before all of them.
  new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)))

/** Runs callbacks one after the other, up to a limit in each turn of the event loop. Their owners take turns. */
export class LimitedTurns<Owner extends object = object> {
  readonly #waiting = new Turns<Owner, { readonly owner: Owner; readonly callback: () => void }>()
  /** Whether a callback runs, or will run in its turn. Otherwise, only callbacks of pausing owners wait. */
  #isRunning = false
  /** Whether what a callback has resolved may continue. */
  #isContinuing = false
  /** Counts a further step in this turn of the event loop, and returns whether it may begin; undefined before the first one. */
  #mayContinue: (() => boolean) | undefined
  readonly #limit: WorkLimit
  readonly #pauses: Pauses

  /**
   * @param limit - of the callbacks, and of what they resolve, in each turn of the event loop
   * @param steps - measures them: see Pauses
   */
  constructor(limit = TURN_LIMIT, steps?: Steps) {
    this.#limit = limit
    this.#pauses = new Pauses(steps)
  }

  /**
   * Whether a callback of an owner would run at once, or belongs to what runs now: a request that needs several turns can use one. If so,
   * the caller may as well run it, and its time counts as the owner's step, or as part of the one that runs now.
   */
  isFreeFor(owner: Owner): boolean {
    if (this.#isRunning) return this.#isContinuing && this.#takeStep()
    if (this.#pauses.isPausing(owner) || this.#waiting.has(owner)) return false
    if (mustAcceptFirst() || !this.#takeStep()) return false
    const step = this.#pauses.begin([owner])
    void afterMicrotasks().then(() => this.#pauses.end(step))
    return true
  }

  /** Whether no callback waits. */
  get isEmpty(): boolean {
    return this.#waiting.isEmpty
  }

  /**
   * Runs a callback at once if none is running or waiting, there is time and no connection must be accepted first, or else in its turn.
   * @param callback - must not throw; the promises that it resolves continue in the same time
   */
  run(owner: Owner, callback: () => void): void {
    this.#waiting.add([owner], { owner, callback })
    if (this.#isRunning) return
    this.#isRunning = true
    if (!mustAcceptFirst() && this.#takeStep()) void this.#runSome()
    else this.#continue()
  }

  /** Resolves in the next turn of an owner. */
  next(owner: Owner): Promise<void> {
    return new Promise((resolve) => this.run(owner, resolve))
  }

  /**
   * Runs the steps of a long read that has begun in a turn of its owner, and continues in further turns.
   * @param check - called when others have run; throws if the read must not go on
   * @returns the result of the last step
   */
  async inSteps<T>(owner: Owner, steps: Generator<void, T>, check: () => void): Promise<T> {
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      if (this.#takeStep()) continue
      // The first turn reads the requests that have arrived, and the second runs what they have queued. Without both, the next step
      // would run before them.
      await nextTurn()
      await nextTurn()
      await this.next(owner)
      check()
    }
  }

  #takeStep(): boolean {
    if (this.#mayContinue) return this.#mayContinue()
    this.#mayContinue = startLimit(this.#limit)
    stepBegins()
    setImmediate(() => {
      this.#mayContinue = undefined
    })
    return true
  }

  async #runSome(): Promise<void> {
    while (!this.#waiting.isEmpty && this.#takeStep()) {
      const next = this.#waiting.take(this.#pauses.isPausing)
      if (!next) {
        this.#isRunning = false
        this.#pauses.onResume(this.#resume)
        return
      }
      const step = this.#pauses.begin([next.owner])
      this.#isContinuing = true
      next.callback()
      await afterMicrotasks()
      this.#isContinuing = false
      this.#pauses.end(step)
    }
    if (this.#waiting.isEmpty) this.#isRunning = false
    else this.#continue()
  }

  /** Continues in a later turn, after its immediates so far: responses that are ready are sent before others are made. */
  #continue(): void {
    runAfterAccepting(() => void this.#runSome())
  }

  readonly #resume = (): void => {
    if (this.#isRunning || this.#waiting.isEmpty) return
    this.#isRunning = true
    this.#continue()
  }
}
