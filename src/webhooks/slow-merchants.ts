import { stopwatch } from '../engine/machine/clock.ts'

/** paytwin: the time for which a merchant counts as slow after its first lookup without an answer, in milliseconds, and the limit. */
const FIRST_MS = 30_000
const MOST_MS = 3_600_000

/** paytwin: the number of merchants that are remembered. */
const MOST = 1_000

/** For how long a merchant is slow, in milliseconds, and until when: see stopwatch. */
type Slowness = { readonly ms: number; readonly until: number }

/**
 * The merchants whose lookups had no answer in time. They stay slow even if other names of theirs are answered. Otherwise a merchant with
 * names that hang and names that do not would return to the first lookups after each answer.
 */
export class SlowMerchants {
  readonly #known = new Map<string, Slowness>()

  has(merchant: string): boolean {
    const slowness = this.#known.get(merchant)
    return slowness !== undefined && stopwatch() < slowness.until
  }

  /**
   * Records that the lookup of a merchant had no answer. If the merchant is slow, its time begins again. If it was slow within the same
   * time before, the time doubles.
   */
  add(merchant: string): void {
    const now = stopwatch()
    const last = this.#known.get(merchant)
    const isSlow = last !== undefined && now < last.until
    const isAgain = last !== undefined && now < last.until + last.ms
    const ms = isAgain ? Math.min(isSlow ? last.ms : last.ms * 2, MOST_MS) : FIRST_MS
    this.#known.delete(merchant)
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size >= MOST) this.#known.delete(oldest)
    this.#known.set(merchant, { ms, until: now + ms })
  }
}
