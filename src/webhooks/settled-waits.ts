import { unlessAborted } from '../engine/machine/abort.ts'

/** What is running of an owner's deliveries. */
export type Progress = {
  /** The seq of the oldest delivery that is being attempted; 0 for a retry, Infinity if there is none. */
  readonly oldest: number
  /** The number of attempts so far. */
  readonly attempts: number
}

/** What to wait for. */
type Wanted = {
  /** The seq of the last delivery that is waited for in any case. */
  readonly newest: number
  /** The maximum number of deliveries to wait for after that one. */
  readonly mostLater: number
  /** Ends the wait. */
  readonly signal: AbortSignal
}

type Wait = Pick<Wanted, 'newest' | 'mostLater'> & {
  /** The number of attempts when the last one to wait for had ended; undefined while one is running. */
  before: number | undefined
  readonly end: () => void
}

/**
 * The waits until an owner's deliveries are answered. The end of an attempt costs one turn of the owner, however many wait. Nothing is
 * kept of a wait that was aborted.
 */
export class SettledWaits<Owner extends object> {
  readonly #progressOf: (owner: Owner) => Progress
  readonly #turnOf: (owner: Owner) => Promise<void>
  readonly #waits = new Map<Owner, Set<Wait>>()
  /** The owners that wait for a turn in which to check their waits. */
  readonly #checking = new Set<Owner>()

  /** @param turnOf - resolves in the next turn of an owner */
  constructor(progressOf: (owner: Owner) => Progress, turnOf: (owner: Owner) => Promise<void>) {
    this.#progressOf = progressOf
    this.#turnOf = turnOf
  }

  /** Resolves when nothing that is waited for is running, or the signal is aborted. */
  async wait(owner: Owner, { newest, mostLater, signal }: Wanted): Promise<void> {
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const wait: Wait = { newest, mostLater, before: undefined, end }
    if (signal.aborted || isOver(wait, this.#progressOf(owner))) return
    const waits = this.#waits.get(owner) ?? new Set()
    this.#waits.set(owner, waits.add(wait))
    // Many may wait for the same end: they continue in turns.
    await unlessAborted(
      ended.then(() => this.#turnOf(owner)),
      signal,
    )
    this.#remove(owner, wait)
  }

  /** Ends the waits that are over, in the owner's next turn. Must be called after each attempt. */
  async check(owner: Owner): Promise<void> {
    if (!this.#waits.has(owner) || this.#checking.has(owner)) return
    this.#checking.add(owner)
    await this.#turnOf(owner)
    this.#checking.delete(owner)
    const progress = this.#progressOf(owner)
    for (const wait of this.#waits.get(owner) ?? []) if (isOver(wait, progress)) this.#end(owner, wait)
  }

  /** Ends all waits: nothing is sent any more. */
  endAll(): void {
    for (const [owner, waits] of this.#waits) for (const wait of waits) this.#end(owner, wait)
  }

  #end(owner: Owner, wait: Wait): void {
    this.#remove(owner, wait)
    wait.end()
  }

  #remove(owner: Owner, wait: Wait): void {
    const waits = this.#waits.get(owner)
    waits?.delete(wait)
    if (waits?.size === 0) this.#waits.delete(owner)
  }
}

function isOver(wait: Wait, { oldest, attempts }: Progress): boolean {
  if (oldest === Number.POSITIVE_INFINITY) return true
  const isRunning = oldest <= wait.newest
  wait.before = isRunning ? undefined : (wait.before ?? attempts)
  return wait.before !== undefined && attempts - wait.before >= wait.mostLater
}
