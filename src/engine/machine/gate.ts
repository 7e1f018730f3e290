import { nextStep } from './arrivals.ts'
import { stopwatch } from './clock.ts'
import { TURN_LIMIT } from './work-limits.ts'

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
