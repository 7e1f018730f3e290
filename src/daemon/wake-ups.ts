import { stopwatch, systemWall, type Wall } from '../engine/machine/clock.ts'

/** The maximum time to the next wake-up, in milliseconds. */
const MAX_WAIT_MS = 60_000
/** The delay before due jobs that failed are retried, such as on a full disk, in milliseconds. */
const RETRY_MS = 1_000

/** The work of wake-ups. None of these functions throws. */
export type Work = {
  /** Returns when the next job is due: Unix milliseconds of the wall clock, or Infinity. */
  readonly nextDue: () => number
  /** Starts to run the due jobs. A further call may begin meanwhile. */
  readonly runDue: () => void
  /** Returns the time until the next housekeeping, in milliseconds. */
  readonly untilHousekeeping: () => number
  readonly doHousekeeping: () => void
}

/** The clocks and the timer of wake-ups. A test replaces them. */
export type Timing = {
  readonly wall: Wall
  /** Milliseconds from an arbitrary start, never going back. */
  readonly stopwatch: () => number
  /** Calls back once after a delay. @returns a function that cancels it */
  readonly callAfter: (ms: number, call: () => void) => () => void
}

/** The system's time. The timer does not keep the process alive. */
export const SYSTEM_TIMING: Timing = {
  wall: systemWall,
  stopwatch,
  callAfter: (ms, call) => {
    const timer = setTimeout(call, Math.ceil(ms)).unref()
    return () => clearTimeout(timer)
  },
}

/**
 * Wakes the daemon when a job becomes due on a live clock, and about once a minute for housekeeping. There is one timer, for
 * whichever comes first.
 *
 * Jobs are due by the wall clock, but timers measure elapsed time. The two diverge when the wall clock is set, and when the
 * machine sleeps, because timers stand still then. So a wake-up does not count missed time: it runs all jobs that are due by
 * the wall clock, and plans the next wake-up from it. The next one is at most a minute away, so a job is at most a minute
 * late after such a jump.
 */
export class WakeUps {
  readonly #work: Work
  readonly #timing: Timing
  /** The times of the next wake-up and the next housekeeping, by the stopwatch. */
  #wakeAt = Number.POSITIVE_INFINITY
  #keepHouseAt = Number.POSITIVE_INFINITY
  #disarm: () => void = () => undefined

  constructor(work: Work, timing: Timing = SYSTEM_TIMING) {
    this.#work = work
    this.#timing = timing
  }

  /** Runs the due jobs, and starts the timer. */
  start(): void {
    this.#planHousekeeping()
    this.#wake()
  }

  /** Ensures a wake-up for a new job. @param dueAt - when it is due, in Unix milliseconds of the wall clock */
  wakeBy(dueAt: number): void {
    const { wall, stopwatch } = this.#timing
    const wakeAt = stopwatch() + Math.max(dueAt - wall(), 0)
    if (wakeAt < this.#wakeAt) this.#arm(wakeAt)
  }

  /** Ensures a wake-up soon, to retry failed work. */
  retrySoon(): void {
    this.wakeBy(this.#timing.wall() + RETRY_MS)
  }

  /** Stops the timer. */
  stop(): void {
    this.#disarm()
    this.#wakeAt = Number.NEGATIVE_INFINITY
  }

  #wake(): void {
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#work.runDue()
    if (this.#timing.stopwatch() >= this.#keepHouseAt) {
      this.#work.doHousekeeping()
      this.#planHousekeeping()
    }
    this.#plan()
  }

  #planHousekeeping(): void {
    const wait = Math.min(this.#work.untilHousekeeping(), MAX_WAIT_MS)
    this.#keepHouseAt = this.#timing.stopwatch() + wait
  }

  #plan(): void {
    const { wall, stopwatch } = this.#timing
    const wait = this.#work.nextDue() - wall()
    // A job that is still due has failed, or many clocks are overdue and its own has not begun.
    const jobsAt = stopwatch() + (wait > 0 ? wait : RETRY_MS)
    // An earlier wake-up may have been requested while this one ran.
    this.#arm(Math.min(jobsAt, this.#keepHouseAt, this.#wakeAt))
  }

  #arm(wakeAt: number): void {
    this.#disarm()
    this.#wakeAt = wakeAt
    this.#disarm = this.#timing.callAfter(Math.max(wakeAt - this.#timing.stopwatch(), 0), () => this.#wake())
  }
}
