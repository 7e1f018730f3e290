import { isQuietFor, worked } from './arrivals.ts'
import { stopwatch } from './clock.ts'

/** paytwin: the part of a long step for which nobody else may want to work until its owner need not wait any more. */
const QUIET_SHARE = 1 / 20
/** paytwin: the limit of that time, in milliseconds. Clients that were answered send their next requests within it. */
const MOST_QUIET_MS = 5

/** The debts of owners of a kind: see Debts. */
export type DebtsOf<Owner> = {
  charge(owner: Owner, ms: number): void
  owes(owner: Owner): boolean
}

type Debt = {
  /** The work of all, as `worked` counts it, at which the debt is paid. */
  readonly until: number
  /** The time without work after which the owner need not wait any more, in milliseconds. */
  readonly quietMs: number
  /** When the step ended, in milliseconds: see stopwatch. */
  readonly since: number
}

/**
 * The owners whose last step was long. Before their next one, others work for as long, if they want to. With turns alone, each short
 * step of the others would wait for a long one, and a request or an advance has several.
 */
export class Debts implements DebtsOf<object> {
  readonly #debts = new WeakMap<object, Debt>()
  readonly #longMs: number

  /** @param longMs - the time of a step, in milliseconds, from which on it is long */
  constructor(longMs: number) {
    this.#longMs = longMs
  }

  /** Records how long a step of an owner has taken that ends now, in milliseconds. */
  charge(owner: object, ms: number): void {
    if (ms < this.#longMs) return
    // The step itself is counted as work when the turn of the event loop ends.
    const until = worked() + 2 * ms
    this.#debts.set(owner, { until, quietMs: Math.min(ms * QUIET_SHARE, MOST_QUIET_MS), since: stopwatch() })
  }

  /** Whether others come first: they have not worked for long enough yet, and did so a moment ago. */
  owes(owner: object): boolean {
    const debt = this.#debts.get(owner)
    if (debt === undefined) return false
    if (worked() < debt.until && !isQuietFor(debt.quietMs, debt.since)) return true
    this.#debts.delete(owner)
    return false
  }
}
