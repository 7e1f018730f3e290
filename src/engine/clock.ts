import type { StoredClock } from '../store/clocks.ts'

/** Unix milliseconds. The one reading of the wall clock; tests give their own. */
export type Wall = () => number
export const systemWall: Wall = () => Date.now()

/** Milliseconds from an arbitrary start, never going back: for measuring, not for telling time. */
export const stopwatch = (): number => {
  // The first use of `performance` loads modules of Node for more than a millisecond of a start.
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1_000_000
}

/** How much time passes from now on by a clock that counts milliseconds, in whole seconds. */
export function uptimeOf(milliseconds: () => number): () => number {
  const startedAt = milliseconds()
  return () => Math.floor((milliseconds() - startedAt) / 1_000)
}

/** A wall clock's time in Unix seconds. */
export const wallSeconds = (wall: Wall): number => Math.floor(wall() / 1000)

/**
 * Real time for whatever lapses, in Unix milliseconds. It follows the wall clock; when that is set back, it goes on from where it was,
 * so that nothing that has lapsed is valid again. A step back is noticed from one reading to the next: read it regularly.
 */
export function steadyTime(wall: Wall): Wall {
  let latest = wall()
  let ahead = 0
  return () => {
    const now = wall()
    ahead += Math.max(0, latest - now)
    latest = now
    return now + ahead
  }
}

/**
 * A clock of a merchant. It never goes back: while an advance is under way it shows the instant that the advance has come to, and
 * a live one stands still while that, or the wall clock, is behind what it has shown.
 * See docs/contract/clocks.md#main-clock.
 */
export class Clock {
  #row: StoredClock
  /** The row as the database has it, within the transaction under way. */
  #stored: StoredClock
  /** The latest instant that a live clock has shown. */
  #shown = 0
  readonly #wall: Wall

  constructor(row: StoredClock, wall: Wall) {
    this.#row = row
    this.#stored = row
    this.#wall = wall
  }

  get seq(): number {
    return this.#row.seq
  }

  get id(): string {
    return this.#row.id
  }

  get created(): number {
    return this.#row.created
  }

  /** What a test clock is called. */
  get name(): string | null {
    return this.#row.name
  }

  /** Whether it is a clock of single customers. */
  get isTest(): boolean {
    return this.#row.is_test === 1
  }

  get isDeleted(): boolean {
    return this.#row.deleted === 1
  }

  get mode(): 'live' | 'frozen' {
    return this.#row.mode
  }

  /** Where the advance under way ends; null when there is none. */
  get target(): number | null {
    return this.#row.target
  }

  /** What the advance under way was asked for, as the scheduler wrote it. */
  get advance(): string | null {
    return this.#row.advance
  }

  /** What the clock shows, in Unix seconds. */
  get now(): number {
    const { mode, target, now, offset } = this.#row
    if (mode === 'frozen') return now
    const ticked = target === null ? wallSeconds(this.#wall) + offset : now
    this.#shown = Math.max(this.#shown, now, ticked)
    return this.#shown
  }

  /** When a live clock shows an instant: Unix milliseconds of the wall clock, the present for one that it has shown already. */
  wallTimeOf(instant: number): number {
    return instant <= this.now ? this.#wall() : (instant - this.#row.offset) * 1000
  }

  /** The instant at which commands run: the one last ticked or moved to, in Unix seconds. */
  get instant(): number {
    return this.#row.now
  }

  /** Takes up what a live clock shows, so that commands run at that instant. */
  tick(): void {
    if (this.now !== this.#row.now) this.#set({ now: this.now })
  }

  /** Moves to an instant at or after the present one. */
  moveTo(now: number): void {
    this.#set({ now })
  }

  /** Begins an advance, or goes on with it: it holds the clock until it ends. */
  begin(target: number, advance: string): void {
    this.#set({ target, advance })
  }

  /** Ends an advance where it has come to. A live clock goes on from there, or keeps the pace that it had. */
  end({ keepsPace }: { keepsPace: boolean }): void {
    const { now, offset } = this.#row
    const goesOn = { offset: now - wallSeconds(this.#wall) }
    this.#set({ target: null, advance: null, ...(keepsPace ? { offset } : goesOn) })
  }

  freeze(): void {
    this.#set({ now: this.now, mode: 'frozen' })
  }

  unfreeze(): void {
    if (this.mode === 'live') return
    this.#set({ mode: 'live', offset: this.now - wallSeconds(this.#wall) })
  }

  delete(): void {
    this.#set({ deleted: 1 })
  }

  /** The row to write, when it has changed since it was last taken. */
  takeDirty(): StoredClock | undefined {
    if (this.#row === this.#stored) return undefined
    this.#stored = this.#row
    return this.#row
  }

  /** What it would write, to be put back when a command is taken back. */
  get state(): StoredClock {
    return this.#row
  }

  putBack(state: StoredClock): void {
    this.#row = state
  }

  /** Goes back to what the database holds, after a transaction was rolled back. */
  reset(row: StoredClock): void {
    this.#row = row
    this.#stored = row
  }

  #set(change: Partial<StoredClock>): void {
    this.#row = { ...this.#row, ...change }
  }
}
