import { mustAcceptFirst, nextStep, runAfterAccepting, stepBegins } from './arrivals.ts'
import { stopwatch } from './clock.ts'
import { Turns } from './turns.ts'
import { startLimit, TURN_LIMIT, type WorkLimit } from './work-limits.ts'

/** Resolves in the next turn of the event loop, after everything in the current one. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Does steps for a limited time, in milliseconds.
 * @param step - returns whether there may be a further one
 * @returns whether there may be a further one
 */
export function workBriefly(step: () => boolean, forMs = TURN_LIMIT.ms): boolean {
  for (const end = stopwatch() + forMs; step(); ) if (stopwatch() >= end) return true
  return false
}

/** Resolves when all promises that are settled now have continued. */
const afterMicrotasks = (): Promise<void> =>
  // Outside of a microtask, a tick would come before all of them.
  new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)))

/** Runs callbacks one after the other, up to a limit in each turn of the event loop. Their owners take turns. */
export class LimitedTurns<Owner> {
  readonly #waiting = new Turns<Owner, () => void>()
  /** Whether a callback runs or waits. */
  #isRunning = false
  /** Whether what a callback has resolved may continue. */
  #isContinuing = false
  /** Counts a further step in this turn of the event loop, and returns whether it may begin; undefined before the first one. */
  #mayContinue: (() => boolean) | undefined
  readonly #limit: WorkLimit

  /** @param limit - of the callbacks, and of what they resolve, in each turn of the event loop */
  constructor(limit = TURN_LIMIT) {
    this.#limit = limit
  }

  /**
   * Whether a callback would run at once, or belongs to what runs now: a request that needs several turns can use one. Then its
   * owner may as well run it, and counts its time too.
   */
  get isFree(): boolean {
    return (this.#isRunning ? this.#isContinuing : !mustAcceptFirst()) && this.#takeStep()
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
    this.#waiting.add([owner], callback)
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
      this.#isContinuing = true
      this.#waiting.take()?.()
      await afterMicrotasks()
      this.#isContinuing = false
    }
    if (this.#waiting.isEmpty) this.#isRunning = false
    else this.#continue()
  }

  /** Continues in a later turn, after its immediates so far: responses that are ready are sent before others are made. */
  #continue(): void {
    runAfterAccepting(() => void this.#runSome())
  }
}

/**
 * paytwin: the turns of the event loop between two pieces of exclusive work in which steps may run, after the commands that the first
 * one has held back.
 * Requests whose state it has replaced start over, and their new commands arrive within some four turns.
 */
const PAUSE_TURNS = 10

/**
 * Runs exclusive work, one piece at a time, and holds commands back meanwhile. If a piece has held some back, the gate is open until
 * they have passed and the pause is over, so that neither many pieces nor many commands delay the others for ever.
 */
export class Gate<Command> {
  readonly #release: (command: Command) => void
  readonly #held: Command[] = []
  /** The commands that the last work has held back, and that have not passed yet. */
  readonly #released = new Set<Command>()
  #pending = 0
  #draining = 0
  #isOpen = false
  #last: Promise<void> = Promise.resolve()

  /** @param release - takes the held commands, in the order in which they arrived */
  constructor(release: (command: Command) => void) {
    this.#release = release
  }

  /** Whether exclusive work runs or waits. */
  get isWanted(): boolean {
    return this.#pending > 0
  }

  /** Whether work waits although the advances that were in progress when it was requested have ended. */
  get isDraining(): boolean {
    return this.#draining > 0
  }

  /** Lets a command pass, unless exclusive work runs or comes first. @returns whether it passes */
  letsPass(command: Command): boolean {
    this.#released.delete(command)
    return this.#isOpen || !this.isWanted
  }

  hold(command: Command): void {
    this.#held.push(command)
  }

  /**
   * Runs work when the work before it has ended, successfully or not, and the commands that it held back have passed.
   * @param advancesEnded - resolves when the advances in progress have ended; never rejects
   */
  alone<T>(work: () => Promise<T>, advancesEnded: Promise<void>): Promise<T> {
    this.#pending += 1
    const drains = advancesEnded.then(() => {
      this.#draining += 1
    })
    const done = Promise.all([this.#last, drains])
      .then(work)
      .finally(() => this.#open())
    const close = () => this.#close()
    this.#last = done.then(close, close)
    return done
  }

  #open(): void {
    this.#pending -= 1
    this.#draining -= 1
    this.#isOpen = this.#held.length > 0
    for (const command of this.#held.splice(0)) {
      this.#released.add(command)
      this.#release(command)
    }
  }

  /** Closes the gate for the next work once the commands have passed. */
  async #close(): Promise<void> {
    while (this.#released.size > 0) await nextTurn()
    for (let turns = 0; turns < PAUSE_TURNS; turns += 1) await nextStep()
    this.#isOpen = false
  }
}
