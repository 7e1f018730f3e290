import { type Step, Steps } from './steps.ts'

/** paytwin: the limit of a pause, in milliseconds: a step also seems long when the process was stopped or memory was freed. */
const MAX_PAUSE_MS = 1_000

/**
 * paytwin: the part of a pause after which it ends if no other owner has done a short step in that time. Clients that were answered send
 * their next requests in it.
 */
const QUIET_PART = 1 / 10

/** paytwin: the turns of the event loop in which the requests that have arrived during a long step are received. */
const ARRIVAL_TURNS = 4

/** The time before the next step of an owner. */
type Pause = {
  /** Its length, in milliseconds. */
  readonly ms: number
  /** When it ends: see `Steps.pauseClock`. */
  readonly end: number
  /** Whether the requests that have arrived during the step are received. */
  hasReceived: boolean
}

/**
 * The pauses between the steps of one kind. Owners take turns, one step each. Without pauses, each short step would wait for a long one,
 * and a request or an advance has many steps. After a long step its owner pauses for as long as the step took, or until no other owner
 * has done a short step for some time. The long steps of others do not count: if several owners do them, those with short ones still have
 * their share.
 * Each kind has pauses of its own. Otherwise the commands of an owner would wait as long as it has reads, each of which begins a pause.
 */
export class Pauses {
  readonly #steps: Steps
  readonly #pauses = new WeakMap<object, Pause>()
  /** The number of long steps after which requests are being received. */
  #receiving = 0
  #isAwaited = false

  /** @param steps - measures the steps; by default, none is long */
  constructor(steps = new Steps(Number.POSITIVE_INFINITY)) {
    this.#steps = steps
  }

  /** Measures a step that ends when a function returns. */
  measure<T>(owners: readonly object[], run: () => T): T {
    const step = this.begin(owners)
    try {
      return run()
    } finally {
      this.end(step)
    }
  }

  /** Begins a step, which lasts until it ends or the next one begins, of any kind. */
  begin(owners: readonly object[]): Step {
    return this.#steps.begin(owners, this.#add)
  }

  /** Ends a step, unless another one has begun. */
  end(step: Step): void {
    this.#steps.end(step)
  }

  /** Records a time in which nobody could do a step, in milliseconds. */
  exclude(ms: number): void {
    this.#steps.exclude(ms)
  }

  /** Whether an owner pauses. One that has ended is removed. */
  readonly isPausing = (owner: object): boolean => {
    const pause = this.#pauses.get(owner)
    if (!pause) return false
    if (!this.#steps.isStopping && this.#lasts(pause, owner)) return true
    this.#pauses.delete(owner)
    return false
  }

  /** Calls a function once, when a pause may have ended, unless one will be called already. */
  onResume(resume: () => void): void {
    if (this.#isAwaited) return
    this.#isAwaited = true
    const end = () => {
      this.#isAwaited = false
      resume()
    }
    if (this.#receiving > 0) setImmediate(end)
    else setTimeout(end, 1)
  }

  #lasts({ ms, end, hasReceived }: Pause, owner: object): boolean {
    return !hasReceived || (this.#steps.pauseClock() < end && this.#steps.quietTime(owner) < ms * QUIET_PART)
  }

  readonly #add = (owner: object, stepMs: number): void => {
    const ms = Math.min(stepMs, MAX_PAUSE_MS)
    const pause = { ms, end: this.#steps.pauseClock() + ms, hasReceived: false }
    this.#pauses.set(owner, pause)
    this.#receiving += 1
    afterTurns(ARRIVAL_TURNS, () => {
      this.#receiving -= 1
      pause.hasReceived = true
    })
  }
}

function afterTurns(turns: number, callback: () => void): void {
  if (turns === 0) callback()
  else setImmediate(() => afterTurns(turns - 1, callback))
}
