import { stopwatch, systemWall, type Wall } from './engine/clock.ts'

/** How far away a wake-up is at most, in milliseconds. */
const LONGEST_WAIT_MS = 60_000
/** When to try again what is due and could not run, such as on a full disk, in milliseconds. */
const RETRY_MS = 1_000

/** What is done at wake-ups. Nothing of it throws. */
export type Work = {
  /** When the next job is due: Unix milliseconds of the wall clock, Infinity if there is none. */
  readonly nextDue: () => number
  /** Begins to run the jobs that are due. */
  readonly runDue: () => void
  /** How long it is until the next housekeeping, in milliseconds. */
  readonly untilHousekeeping: () => number
  readonly keepHouse: () => void
}

/** How wake-ups measure time and pass it; a test has its own. */
export type Timing = {
  readonly wall: Wall
  /** Milliseconds from an arbitrary start, never going back. */
  readonly stopwatch: () => number
  /** Calls back once, after some milliseconds. @returns what prevents it */
  readonly callAfter: (ms: number, call: () => void) => () => void
}

/** The computer's time. The timer does not keep a process alive. */
export const SYSTEM_TIMING: Timing = {
  wall: systemWall,
  stopwatch,
  callAfter: (ms, call) => {
    const timer = setTimeout(call, Math.ceil(ms)).unref()
    return () => clearTimeout(timer)
  },
}

/**
 * Wakes the daemon when a job falls due on a live clock, and about once a minute for housekeeping. There is one timer, for
 * whichever comes first; nothing runs before that.
 *
 * Jobs are due by the wall clock, while timers count time that passes. The two part when somebody sets the wall clock, and when
 * the machine sleeps, for timers stand still meanwhile. So a wake-up never counts what was missed: it runs all that is due by
 * now, and plans the next one from what the wall clock says now. As none is further away than a minute, a job is at
 * most a minute late after such a jump.
 */
export class WakeUps {
  readonly #work: Work
  readonly #timing: Timing
  /** When to wake up, and when to keep house: on the stopwatch. */
  #wakeAt = Number.POSITIVE_INFINITY
  #keepHouseAt = Number.POSITIVE_INFINITY
  #disarm: () => void = () => undefined

  constructor(work: Work, timing: Timing = SYSTEM_TIMING) {
    this.#work = work
    this.#timing = timing
  }

  /** Runs what is due now, and wakes up from then on. */
  start(): void {
    this.#planHousekeeping()
    this.#wake()
  }

  /** Makes sure to be awake when a job falls due that may be new. @param dueAt - Unix milliseconds of the wall clock */
  wakeBy(dueAt: number): void {
    const { wall, stopwatch } = this.#timing
    const wakeAt = stopwatch() + Math.max(dueAt - wall(), 0)
    if (wakeAt < this.#wakeAt) this.#arm(wakeAt)
  }

  /** Makes sure to be awake soon: something failed, and may succeed when it is tried again. */
  retrySoon(): void {
    this.wakeBy(this.#timing.wall() + RETRY_MS)
  }

  /** Wakes up no more. */
  stop(): void {
    this.#disarm()
    this.#wakeAt = Number.NEGATIVE_INFINITY
  }

  #wake(): void {
    this.#wakeAt = Number.POSITIVE_INFINITY
    this.#work.runDue()
    if (this.#timing.stopwatch() >= this.#keepHouseAt) {
      this.#work.keepHouse()
      this.#planHousekeeping()
    }
    this.#plan()
  }

  #planHousekeeping(): void {
    const wait = Math.min(this.#work.untilHousekeeping(), LONGEST_WAIT_MS)
    this.#keepHouseAt = this.#timing.stopwatch() + wait
  }

  #plan(): void {
    const { wall, stopwatch } = this.#timing
    const wait = this.#work.nextDue() - wall()
    // A job that is still due, after all that is due was run, has failed.
    const jobsAt = stopwatch() + (wait > 0 ? wait : RETRY_MS)
    // The wake-up may be planned already, for what was reported while this one did its work.
    this.#arm(Math.min(jobsAt, this.#keepHouseAt, this.#wakeAt))
  }

  #arm(wakeAt: number): void {
    this.#disarm()
    this.#wakeAt = wakeAt
    this.#disarm = this.#timing.callAfter(Math.max(wakeAt - this.#timing.stopwatch(), 0), () => this.#wake())
  }
}
