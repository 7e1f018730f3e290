import { formatInstant } from '../core/calendar.ts'
import { internalError, parameterInvalid } from '../core/errors.ts'
import { isOfStorage } from '../store/database.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from './clock.ts'
import { nextTurn } from './gate.ts'
import type { MerchantState, Waiting } from './merchant-state.ts'
import {
  type AdvanceOptions,
  awaitsWebhooks,
  NOTHING_DONE,
  runBatch,
  type Summary,
  storedAdvance,
} from './scheduler.ts'
import { ClockHeld, type Unit } from './unit.ts'

/**
 * After how many batches the log is moved into the database, in a turn of its own: so that nobody waits for a batch and for that
 * too. Few enough for SQLite seldom to begin with it itself, at the end of a commit; more often costs time, for each time writes the
 * pages that all batches change.
 */
const BATCHES_A_CHECKPOINT = 8

/** An advance that cannot be written any further, on a full disk: it stays under way, and goes on by itself when there is room again. */
export class AdvancePutOff extends Error {
  constructor(cause: unknown) {
    super(`the advance is put off: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** What the timekeeper needs of the engine. */
type Host = {
  /** A transaction that may move the clock. */
  readonly transaction: <T>(clock: Clock, work: () => T) => T
  readonly command: <T>(merchant: MerchantState, run: (unit: Unit) => T) => Promise<T>
  /** A unit for a step of a clock's advance. */
  readonly unit: (merchant: MerchantState, moving: Clock) => Unit
  readonly caughtUp: (merchant: string, summary: Summary) => void
  /** Resolves when all webhooks of a merchant that are on their way have been answered. */
  readonly delivered: (merchant: MerchantState) => Promise<void>
  readonly failed: (error: unknown, doing: string) => void
}

/** An advance under way. `wake` ends its waiting for webhooks when it is canceled, or the daemon stops. */
type Control = { isCanceled: boolean; wake: () => void }
type Running = Control & { readonly done: Promise<Summary> }

/**
 * Moves clocks: by an advance that was asked for, or to keep a live one up with the wall clock. While one moves, the
 * writes of those who follow it wait.
 * Source: decisions.md 2.
 */
export class Timekeeper {
  readonly #store: Store
  readonly #host: Host
  readonly #running = new Map<Clock, Running>()
  /** Clocks with a due job that failed: they are not caught up again by themselves. */
  readonly #stuck = new Set<Clock>()
  /** Clocks whose advance failed, and not even its end could be written: it goes on later, as after a crash. */
  readonly #stalled = new Map<Clock, MerchantState>()
  #isStopping = false

  constructor(store: Store, host: Host) {
    this.#store = store
    this.#host = host
  }

  /**
   * Begins to move a clock forward, from due job to due job.
   * @param aim - the target in Unix seconds, asked for when the advance begins
   * @param options.stop_on - types of events after whose first the advance ends
   * @param options.await_webhooks - whether each step waits until the webhooks of the one before were answered
   * @param options.param - the parameter to blame when the target is not forward
   * @param options.checkAdmitted - throws when it is not to begin, because of what happened while it waited
   * @param options.begun - what else to write when it begins, in the same transaction
   * @returns when it has begun; `done` tells what it did, when it has ended or was canceled
   */
  begin(
    merchant: MerchantState,
    clock: Clock,
    aim: (now: number) => number,
    {
      param,
      begun,
      checkAdmitted,
      ...wanted
    }: Partial<AdvanceOptions> & { param: string; begun?: () => void; checkAdmitted?: () => void },
  ): Promise<{ readonly done: Promise<Summary> }> {
    return this.#host.command(merchant, (unit) => {
      if (this.#running.has(clock)) throw new ClockHeld(clock)
      checkAdmitted?.()
      unit.touch(clock)
      const target = aim(clock.instant)
      this.check(clock, target, param)
      this.#stuck.delete(clock)
      clock.begin(target, storedAdvance(wanted))
      begun?.()
      const { done } = this.#run(merchant, clock)
      return { done: wanted.await_webhooks ? this.#alsoDelivered(merchant, done) : done }
    })
  }

  /** What the last step told is waited for too: when an event has ended the advance, no further step does so. */
  async #alsoDelivered(merchant: MerchantState, done: Promise<Summary>): Promise<Summary> {
    const summary = await done
    if (summary.stopped_on !== null) await this.#host.delivered(merchant)
    return summary
  }

  /**
   * Whether a clock can move to a target: forward, or to the present instant while something is due there.
   * @throws ApiError parameter_invalid for the parameter that named the target
   */
  check(clock: Clock, target: number, param: string): void {
    const { now } = clock
    if (target > now || (target === now && this.#isDueBy(clock, target))) return
    const [from, to] = [formatInstant(now), formatInstant(target)]
    throw parameterInvalid(
      param,
      `The clock can only move forward: it stands at ${from}, and ${to} is not after that`,
    )
  }

  /** Ends the advance under way on a clock at the next border of a batch. @returns whether there was one */
  cancel(clock: Clock): boolean {
    const running = this.#running.get(clock)
    if (!running) return false
    running.isCanceled = true
    running.wake()
    return true
  }

  /** Goes on with the advances that a crash or a stop interrupted. */
  resume(merchants: Iterable<MerchantState>): Promise<Summary>[] {
    return [...merchants].flatMap((merchant) =>
      [merchant.clock, ...merchant.testClocks.advancing()]
        .filter((clock) => clock.target !== null)
        .map((clock) => this.#run(merchant, clock).done),
    )
  }

  /** Goes on with the advances that stopped because nothing could be written: to be called now and then. */
  resumeStalled(): void {
    if (this.#isStopping) return
    for (const [clock, merchant] of this.#stalled) {
      this.#stalled.delete(clock)
      // What fails again is reported there, and stalls again.
      if (clock.target !== null) this.#run(merchant, clock).done.catch(() => undefined)
    }
  }

  /** Whether a live clock has something due that has not run. */
  isOverdue(clock: Clock): boolean {
    const isKept =
      clock.mode === 'live' && clock.target === null && !this.#isStopping && !this.#stuck.has(clock)
    return isKept && this.#isDueBy(clock, clock.now)
  }

  /** Begins to run what is due on a merchant's live clock. */
  catchUp(merchant: MerchantState): void {
    const { clock, settings } = merchant
    if (!this.isOverdue(clock)) return
    clock.begin(clock.now, storedAdvance({ is_catch_up: true }))
    this.#run(merchant, clock).done.then(
      (summary) => this.#host.caughtUp(settings.id, summary),
      (error: unknown) => {
        // When there is room again it goes on: that is no mistake that would repeat itself.
        if (!(error instanceof AdvancePutOff)) this.#stuck.add(clock)
      },
    )
  }

  /** Whether any clock moves. */
  get isMoving(): boolean {
    return this.#running.size > 0
  }

  /** Resolves when what moves now has ended, well or not. */
  async rest(): Promise<void> {
    await Promise.allSettled([...this.#running.values()].map(({ done }) => done))
  }

  /** Forgets what it knows of clocks, when others have come in their place. */
  forget(): void {
    this.#stuck.clear()
    this.#stalled.clear()
  }

  /** Stops what moves at the next border of a batch; it goes on at the next start. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const { wake } of this.#running.values()) wake()
    await this.rest()
  }

  #isDueBy(clock: Clock, instant: number): boolean {
    const [job] = this.#store.jobs.next(clock.seq, 1)
    return job !== undefined && job.due <= instant
  }

  #run(merchant: MerchantState, clock: Clock): Running {
    const waiting: Waiting[] = []
    merchant.held.set(clock, waiting)
    const control: Control = { isCanceled: false, wake: () => undefined }
    const done = this.#step(merchant, clock, control).finally(() => {
      this.#running.delete(clock)
      merchant.held.delete(clock)
      merchant.parked.delete(clock)
      for (const { requeue, reject } of waiting) {
        // An advance that a shutdown interrupts goes on at the next start: no write may come in its middle.
        if (clock.target === null) requeue()
        else reject(internalError())
      }
    })
    const running = Object.assign(control, { done })
    this.#running.set(clock, running)
    return running
  }

  async #step(merchant: MerchantState, clock: Clock, control: Control): Promise<Summary> {
    let summary = NOTHING_DONE
    let isWaiting = awaitsWebhooks(clock)
    for (let batches = 1; ; batches += 1) {
      // Between batches the requests that arrived meanwhile are read and answered.
      await nextTurn()
      if (isWaiting) await this.#park(merchant, clock, control)
      if (this.#isStopping) return summary
      try {
        const batch = this.#host.transaction(clock, () => {
          if (!control.isCanceled) return runBatch(this.#store, clock, () => this.#host.unit(merchant, clock))
          clock.end({ keepsPace: false })
          return { isDone: true, isWaiting: false, summary }
        })
        summary = batch.summary
        isWaiting = batch.isWaiting
        if (batch.isDone) return summary
        if (batches % BATCHES_A_CHECKPOINT !== 0) continue
        await nextTurn()
        this.#checkpoint()
      } catch (error) {
        this.#host.failed(error, `advancing the clock of ${merchant.settings.id}`)
        if (isOfStorage(error)) {
          this.#stalled.set(clock, merchant)
          throw new AdvancePutOff(error)
        }
        this.#giveUp(merchant, clock)
        throw error
      }
    }
  }

  /** What the database has no room for stays in the log, where it is committed, and is moved another time. */
  #checkpoint(): void {
    try {
      this.#store.checkpoint()
    } catch (error) {
      if (!isOfStorage(error)) throw error
      this.#host.failed(error, 'moving the log into the database')
    }
  }

  /** Ends an advance that has failed; where that cannot be written either, it is only put off. */
  #giveUp(merchant: MerchantState, clock: Clock): void {
    try {
      this.#host.transaction(clock, () => clock.end({ keepsPace: false }))
    } catch (error) {
      this.#host.failed(error, `ending an advance of ${merchant.settings.id}`)
      this.#stalled.set(clock, merchant)
    }
  }

  /**
   * Waits at the present instant until receivers have answered what they were sent. Meanwhile commands are let in, so that
   * a receiver can call back.
   * Source: decisions.md 2 (`await_webhooks`).
   */
  async #park(merchant: MerchantState, clock: Clock, control: Control): Promise<void> {
    if (control.isCanceled || this.#isStopping) return
    const waiting = merchant.held.get(clock) ?? []
    merchant.parked.add(clock)
    for (const { requeue } of waiting.splice(0)) requeue()
    await new Promise<void>((resolve) => {
      control.wake = resolve
      void this.#host.delivered(merchant).then(resolve)
    })
    merchant.parked.delete(clock)
  }
}
