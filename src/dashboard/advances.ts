import type { Clock, Summary } from '../client/types.ts'

/** An advance that this dashboard began, and its outcome as soon as it has ended. */
export type Advance = {
  /** The time of the clock before it. */
  readonly from: number
  /** The time to which it advances, unless it is stopped or canceled. */
  readonly target: number
  /** The newest event of the merchant before it; undefined if there was none. */
  readonly after: string | undefined
  /** Resolves when the outcome is known, a moment after the clock has arrived. */
  readonly ended: Promise<void>
  outcome?: { readonly clock: Clock; readonly summary: Summary } | { readonly error: unknown }
}

/** If an advance takes longer than this, its progress is shown. In milliseconds. */
const QUICK_MS = 400
/** The maximum number of clocks to remember. */
const MAX_CLOCKS = 1_000

/** Remembers the last advance of each clock, so that its progress and its summary can be shown. */
export class Advances {
  readonly #latest = new Map<string, Advance>()

  /** Follows an advance. Resolves when it has ended, or when the browser should not wait any longer. */
  async follow(
    clock: string,
    begun: Pick<Advance, 'from' | 'target' | 'after'>,
    run: Promise<NonNullable<Advance['outcome']>>,
  ): Promise<Advance> {
    const ended = run
      .catch((error: unknown) => ({ error }))
      .then((outcome) => {
        advance.outcome = outcome
      })
    const advance: Advance = { ...begun, ended }
    const [oldest] = this.#latest.keys()
    if (oldest !== undefined && this.#latest.size >= MAX_CLOCKS) this.#latest.delete(oldest)
    this.#latest.set(clock, advance)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, QUICK_MS)
    })
    await Promise.race([ended, late])
    clearTimeout(timer)
    return advance
  }

  latest(clock: string): Advance | undefined {
    return this.#latest.get(clock)
  }

  forget(clock: string): void {
    this.#latest.delete(clock)
  }
}
