import { LAST_INSTANT } from '../../core/calendar.ts'
import { assert } from '../../core/errors.ts'
import type { StoredClock } from '../../store/clocks.ts'
import { isCatchUp } from './stored-advance.ts'

/** Reads the wall clock in Unix milliseconds. Tests supply their own. */
export type Wall = () => number
export const systemWall: Wall = () => Date.now()

/** Reads milliseconds since an arbitrary start, which never go back; for measuring durations. Tests supply their own. */
export type Stopwatch = () => number
export const stopwatch: Stopwatch = () => {
  // The first use of `performance` loads modules of Node for more than a millisecond of a start.
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1_000_000
}

/** Measures the time that passes from now on in whole seconds, with a clock that counts milliseconds. */
export function secondsSinceStart(milliseconds: () => number): () => number {
  const startedAt = milliseconds()
  return () => Math.floor((milliseconds() - startedAt) / 1_000)
}

/** Reads a wall clock in Unix seconds. */
export const wallSeconds = (wall: Wall): number => Math.floor(wall() / 1000)

/** Returns the nearest instant that a clock of a merchant can show, from 1970 to 9999. */
const shownInstant = (seconds: number): number => Math.min(Math.max(seconds, 0), LAST_INSTANT)

/** Reads a wall clock as the first instant of a live clock, in Unix seconds. */
export const liveInstant = (wall: Wall): number => shownInstant(wallSeconds(wall))

/**
 * Creates the clock for everything that expires in real time, in Unix milliseconds. It follows the wall clock and never goes back. While
 * the wall clock is behind, it advances with the stopwatch. So nothing that has expired becomes valid again, and lifetimes stay right.
 *
 * A step forward always moves it, because it looks like the end of a sleep. If that step was a mistake and is corrected, this clock stays
 * ahead until a restart. While the wall clock is behind, a sleep of the machine may not count. The time between the last reading and a step
 * back is not counted, so read it regularly.
 */
export function monotonicWallClock({
  wall,
  elapsed,
}: {
  readonly wall: Wall
  readonly elapsed: Stopwatch
}): Wall {
  let shown = wall()
  let shownAt = elapsed()
  return () => {
    const at = elapsed()
    const now = wall()
    shown = now >= shown ? now : shown + (at - shownAt)
    shownAt = at
    return Math.floor(shown)
  }
}

/**
 * A clock of a merchant. It never goes back, unless its catch-up is canceled. During an advance it shows the instant that the
 * advance has reached. A live clock stands still while the advance, or the wall clock, is behind the latest instant that it has
 * shown.
 * See docs/contract/clocks.md#main-clock.
 */
export class Clock {
  #row: StoredClock
  /** The row as the open transaction has written it. */
  #stored: StoredClock
  /** The latest instant that a live clock has shown: when a start finds it catching up, the end of that. */
  #shown: number
  readonly #wall: Wall

  constructor(row: StoredClock, wall: Wall) {
    this.#row = row
    this.#stored = row
    this.#wall = wall
    this.#shown = row.target !== null && isCatchUp(row) ? row.target : 0
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

  /** The name of a test clock. */
  get name(): string | null {
    return this.#row.name
  }

  /** Whether it is a test clock of single customers. */
  get isTest(): boolean {
    return this.#row.is_test === 1
  }

  get isDeleted(): boolean {
    return this.#row.deleted === 1
  }

  get mode(): 'live' | 'frozen' {
    return this.#row.mode
  }

  /** The end of the advance in progress; null when there is none. */
  get target(): number | null {
    return this.#row.target
  }

  /** The options of the advance in progress, in the scheduler's format. */
  get advance(): string | null {
    return this.#row.advance
  }

  /** The current time of the clock, in Unix seconds. */
  get now(): number {
    const { mode, target, now, offset } = this.#row
    if (mode === 'frozen') return now
    const ticked = target === null ? shownInstant(wallSeconds(this.#wall) + offset) : now
    this.#shown = Math.max(this.#shown, now, ticked)
    return this.#shown
  }

  /**
   * The instant that the clock has reached: during an advance, that of its last job. A live clock that catches up shows a later
   * one, from which it goes back if that is canceled.
   */
  get reached(): number {
    return this.target === null ? this.now : this.instant
  }

  /**
   * Returns when a live clock shows an instant, in Unix milliseconds of the wall clock; now if it has already shown it.
   */
  wallTimeOf(instant: number): number {
    return instant <= this.now ? this.#wall() : (instant - this.#row.offset) * 1000
  }

  /** The instant at which commands run: the last tick or move, in Unix seconds. */
  get instant(): number {
    return this.#row.now
  }

  /** Returns a frozen copy of the clock that stands at an instant, which leaves the clock itself as it is. */
  copyAt(now: number): Clock {
    return new Clock({ ...this.#row, now, mode: 'frozen', target: null, advance: null }, this.#wall)
  }

  /** Moves to the current time of a live clock, so that commands run at that instant. During an advance, only the advance moves the clock. */
  tick(): void {
    if (this.target === null && this.now !== this.#row.now) this.#set({ now: this.now })
  }

  /** Moves to an instant, which must not be in the past. */
  moveTo(now: number): void {
    assert(now >= this.#row.now, `${this.id} does not go back`)
    if (now > this.#row.now) this.#set({ now })
  }

  /** Begins or continues an advance, which holds the clock until it ends. */
  begin(target: number, advance: string): void {
    this.#set({ target, advance })
  }

  /** Ends an advance at its current instant. A live clock continues from there, or keeps its offset. */
  end({ keepsPace }: { keepsPace: boolean }): void {
    const { now, offset } = this.#row
    const goesOn = { offset: now - wallSeconds(this.#wall) }
    this.#set({ target: null, advance: null, ...(keepsPace ? { offset } : goesOn) })
  }

  /** Goes back to its instant, when its advance was canceled: a live clock that was catching up has shown that of the wall clock. */
  goBack(): void {
    this.#shown = this.#row.now
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

  /** Returns the row if it has changed since the last call. */
  takeDirty(): StoredClock | undefined {
    if (this.#row === this.#stored) return undefined
    this.#stored = this.#row
    return this.#row
  }

  /** The state to restore when a command is rolled back. */
  get state(): StoredClock {
    return this.#row
  }

  restore(state: StoredClock): void {
    this.#row = state
  }

  /** Returns to the state of the database after a rollback. */
  reset(row: StoredClock): void {
    this.#row = row
    this.#stored = row
  }

  #set(change: Partial<StoredClock>): void {
    this.#row = { ...this.#row, ...change }
  }
}
